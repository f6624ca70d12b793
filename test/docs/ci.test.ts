// @module-tag extended
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { packPackage, runIn } from '../support/installed.js';
import { codeBlocks, userPage } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';

const page = userPage('docs/ci.md');
const [install, script] = codeBlocks(page).filter(({ language }) => language === 'sh');
/** The commands of the workflows, each on one line. A busy machine would fail a run with `--require-conclusive`. */
const steps = codeBlocks(page)
  .filter(({ language }) => language === 'yaml')
  .map(({ text }) =>
    / *(npx --no-install petstore-sim [^-]*(?:.|\n)*?npm test)/
      .exec(text)?.[1]
      ?.replace(/\s+/g, ' ')
      .replace('--require-conclusive ', ''),
  );

const parent = newFolder();
/** The repository of the CI server: as a colleague has it, with a cache that never had the package. */
const checkout = join(parent, 'checkout');

const client = (attempts: number, waitMs: string) => `
const { PETSTORE_SIM_URL, PETSTORE_BASE_URL = PETSTORE_SIM_URL.replace('__sim', 'v1') } = process.env;
// The used-up minute may end before npm has started this test on a busy machine.
await fetch(PETSTORE_SIM_URL + '/reset', { method: 'POST' });
const headers = { Authorization: 'Bearer free-key' };
for (const limit of [1, 2]) {
  for (let attempt = 1; attempt <= ${attempts}; attempt++) {
    const response = await fetch(PETSTORE_BASE_URL + '/pets?limit=' + limit, { headers });
    await response.arrayBuffer();
    if (response.ok) break;
    await new Promise((resolve) => setTimeout(resolve, ${waitMs}));
  }
}`;
const right = client(5, "1000 * response.headers.get('Retry-After') + 100");
// Four attempts in one connection end in a ban, which no busy machine excuses.
const wrong = client(5, '100');

beforeAll(async () => {
  const own = join(parent, 'own');
  mkdirSync(join(own, 'vendor'), { recursive: true });
  await packPackage(join(own, 'vendor'));
  writeFileSync(
    join(own, 'package.json'),
    JSON.stringify({ private: true, type: 'module', scripts: { test: 'node test.js' } }),
  );
  await runIn(own, 'bash', ['-c', install?.text ?? 'false'], { npm_config_cache: join(parent, 'cache-of-author') });
  mkdirSync(checkout);
  for (const file of ['package.json', 'package-lock.json', 'vendor'])
    cpSync(join(own, file), join(checkout, file), { recursive: true });
  rmSync(own, { recursive: true });
  await runIn(checkout, 'npm', ['ci', '--no-audit', '--no-fund'], {
    npm_config_cache: join(parent, 'cache-of-server'),
  });
}, 600_000);

const runScript = async (port: number) => {
  writeFileSync(
    join(checkout, 'ci.sh'),
    (script?.text ?? '').replaceAll('4010', String(port)).replace(' --require-conclusive', ''),
  );
  return runIn(checkout, 'bash', ['ci.sh']);
};

test.each([0, 1])(
  'the command of workflow %i passes a right client, and fails a wrong one with reports',
  async (index) => {
    const step = steps[index] as string;
    writeFileSync(join(checkout, 'test.js'), right);
    await runIn(checkout, 'bash', ['-c', step]);
    writeFileSync(join(checkout, 'test.js'), wrong);
    await expect(runIn(checkout, 'bash', ['-c', step])).rejects.toThrow(/, got 1:[\s\S]*early-retry/);
    expect(readFileSync(join(checkout, 'report.xml'), 'utf8')).toContain('<failure');
    expect(existsSync(join(checkout, 'report.html'))).toBe(true);
  },
  240_000,
);

test('the script starts a server, judges its client, and leaves no server', async () => {
  const port = await freePort();
  writeFileSync(join(checkout, 'test.js'), right);
  await runScript(port);
  writeFileSync(join(checkout, 'test.js'), wrong);
  await expect(runScript(port)).rejects.toThrow(/, got 1:[\s\S]*early-retry/);
  writeFileSync(join(checkout, 'test.js'), 'process.exit(7)');
  await expect(runScript(port)).rejects.toThrow('got 7:');
  await expect(fetch(`http://127.0.0.1:${port}/__sim/health`)).rejects.toThrow();
}, 240_000);

test('no command of the page runs a package of the registry', () => {
  expect(page.text).not.toMatch(/npx petstore-sim/);
});
