import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSimulator } from '../../src/index.js';
import { listen } from '../../src/node.js';
import { chromiumArguments, findChromium } from '../support/chromium.js';

const exec = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const executablePath = findChromium();

/** A project that has the package, as the build of `npm test` has made it. */
let folder: string;
const write = (file: string, text: string) => writeFile(join(folder, file), text);

async function blockWith(text: string): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, block]) => block as string);
  const found = blocks.filter((block) => block.includes(text));
  expect(found).toHaveLength(1);
  return found[0] as string;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-kit-'));
  const installed = {
    'petstore-sim': '.',
    vitest: 'node_modules/vitest',
    '@playwright/test': 'node_modules/@playwright/test',
  };
  for (const [name, path] of Object.entries(installed)) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, path), link);
  }
  await write('package.json', '{ "private": true, "type": "module" }');
  for (const file of ['petstore.ts', 'send.ts']) {
    await copyFile(join(root, 'examples/vitest-client/src', file), join(folder, file));
  }
  await write('client.test.ts', await blockWith("'petstore-sim/vitest'"));
  await write('page.spec.ts', await blockWith("'petstore-sim/playwright'"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the Vitest test of the README passes as printed', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await exec(process.execPath, [vitest, 'run', '--reporter', 'json', 'client.test.ts'], {
    cwd: folder,
  });
  expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toMatchObject({ numPassedTests: 1, numFailedTests: 0 });
});

/** Says that it waits, waits, and shows what it got. */
const page = `<!doctype html><link rel="icon" href="data:,"><ul></ul><p></p><script type="module">
  const list = () => fetch('https://api.petstore.example/v1/pets', { headers: { authorization: 'Bearer free-key' } });
  let response = await list();
  if (response.status === 429) {
    document.querySelector('p').textContent = 'Too many requests';
    await new Promise((resolve) => setTimeout(resolve, response.headers.get('Retry-After') * 1000));
    response = await list();
  }
  for (const { name } of await response.json()) document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: name }));
</script>`;

test.runIf(executablePath)('the Playwright test of the README passes as printed', async () => {
  const site = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(page));
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const server = await listen(createSimulator(), { port: 0 });
  try {
    const baseURL = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const use = { baseURL, launchOptions: { executablePath, args: chromiumArguments } };
    await write('playwright.config.ts', `export default ${JSON.stringify({ use })};`);
    const cli = join(root, 'node_modules/@playwright/test/cli.js');
    const env = { ...process.env, PETSTORE_SIM_URL: server.controlUrl };
    const run = [cli, 'test', '--reporter', 'json', 'page.spec.ts'];
    const { stdout } = await exec(process.execPath, run, { cwd: folder, env }).catch((error) => error);
    expect(JSON.parse(stdout).stats, stdout).toMatchObject({ expected: 1, unexpected: 0 });
  } finally {
    await server.close();
    site.close();
  }
});

test('TypeScript accepts both', async () => {
  const compilerOptions = { target: 'ES2023', module: 'ESNext', moduleResolution: 'Bundler', strict: true };
  const more = { types: [], skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true };
  const project = { compilerOptions: { ...compilerOptions, ...more }, files: ['client.test.ts', 'page.spec.ts'] };
  await write('tsconfig.json', JSON.stringify(project));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await exec(process.execPath, [tsc, '--project', folder]).catch((error) => error);
  expect(stdout).toBe('');
});
