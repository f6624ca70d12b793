import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOf, install } from './install-peer.mjs';
import { median } from './median.mjs';
import { start } from './server-process.mjs';
import { pets } from './servers/pets-data.mjs';
import { yardstickMs } from './yardstick.mjs';

const runners = {
  name: 'runners',
  packed: true,
  packages: { vitest: '4.1.12', jest: '30.5.2', '@playwright/test': '1.65.1', msw: '2.15.0' },
};

/** Port of the server for Playwright's sandboxes. */
const port = 4660;
/** Number of tests in the large files. */
const many = 1_000;

const url = 'https://api.petstore.example/v1/pets';
const request = "{ headers: { authorization: 'Bearer free-key' } }";
const emptyTest = "test('adds', () => expect(1 + 1).toBe(2));";
const list = (fetch) => `expect((await ${fetch}('${url}', ${request})).status).toBe(200);`;
const repeated = (count, test) => `for (let at = 0; at < ${count}; at++) ${test}`;

const kitTest = (count) => `import { expect, test } from 'petstore-sim/vitest';
${repeated(count, `test(\`lists \${at}\`, async ({ sim }) => { ${list('sim.fetch')} });`)}`;

const mswTest = (count, { imports, handlers, perTest }) => `import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
${imports}
const server = setupServer(${handlers});
beforeAll(() => server.listen());
afterEach(() => server.resetHandlers());
afterAll(() => server.close());
${repeated(count, `test(\`lists \${at}\`, async () => { ${perTest} ${list('fetch')} });`)}`;

const staticHandler = (count) =>
  mswTest(count, {
    imports: `const pets = ${JSON.stringify(pets.slice(0, 20))};`,
    handlers: `http.get('${url}', () => HttpResponse.json(pets))`,
    perTest: '',
  });
const simulatorBehindMsw = (count) =>
  mswTest(count, {
    imports: `import { createSimulator } from 'petstore-sim';\nimport { handlers } from 'petstore-sim/msw';`,
    handlers: '',
    perTest: 'server.use(...handlers(createSimulator()));',
  });

/** Test files by name, and the command of each. */
const files = {
  'vitest/empty.test.mjs': `import { expect, test } from 'vitest';\n${emptyTest}`,
  'vitest/kit.test.mjs': kitTest(1),
  'vitest/static.test.mjs': staticHandler(1),
  'vitest/many-kit.test.mjs': kitTest(many),
  'vitest/many-static.test.mjs': staticHandler(many),
  'vitest/many-behind-msw.test.mjs': simulatorBehindMsw(many),
  'jest/empty.test.cjs': emptyTest,
  'jest/kit.test.cjs': `const { test } = require('petstore-sim/jest');
test('lists', async ({ sim }) => { ${list('sim.fetch')} });`,
  'playwright/empty.spec.mjs': `import { expect, test } from '@playwright/test';\n${emptyTest}`,
  'playwright/kit.spec.mjs': `import { expect, test } from 'petstore-sim/playwright';
test.use({ petstoreUrl: 'http://127.0.0.1:${port}' });
test('lists', async ({ request, sandbox }) => {
  const headers = { authorization: \`Bearer \${sandbox.apiKey}\` };
  expect((await request.get(\`\${sandbox.baseUrl}/pets\`, { headers })).status()).toBe(200);
});`,
  // Without these, a runner would find the configuration of this repository in a folder above.
  'vitest.config.mjs': 'export default {};',
  'jest.config.cjs': "module.exports = { testMatch: ['**/*.test.cjs'], transform: {} };",
  'playwright.config.mjs': "export default { testDir: 'playwright', workers: 1, reporter: 'line' };",
};
const commands = {
  vitest: ['node_modules/vitest/vitest.mjs', 'run'],
  jest: ['node_modules/jest/bin/jest.js', '--runInBand'],
  playwright: ['node_modules/@playwright/test/cli.js', 'test'],
};

/** What a user waits for, each with what it is compared with. */
const rows = [
  {
    what: 'Vitest, one test of the kit',
    of: 'vitest/kit.test.mjs',
    to: 'vitest/empty.test.mjs',
    against: 'an empty test',
  },
  {
    what: 'Vitest, one test with a static msw handler',
    of: 'vitest/static.test.mjs',
    to: 'vitest/empty.test.mjs',
    against: 'an empty test',
  },
  { what: 'Jest, one test of the kit', of: 'jest/kit.test.cjs', to: 'jest/empty.test.cjs', against: 'an empty test' },
  {
    what: 'Playwright, one test of the kit, without a page',
    of: 'playwright/kit.spec.mjs',
    to: 'playwright/empty.spec.mjs',
    against: 'an empty test',
  },
  {
    what: `Vitest, ${many.toLocaleString('en-US')} tests, a simulator each`,
    of: 'vitest/many-kit.test.mjs',
    to: 'vitest/many-static.test.mjs',
    against: 'a static msw handler for all',
  },
  {
    what: `Vitest, ${many.toLocaleString('en-US')} tests, a simulator each, behind msw`,
    of: 'vitest/many-behind-msw.test.mjs',
    to: 'vitest/many-static.test.mjs',
    against: 'a static msw handler for all',
  },
];

/**
 * Measures how long test runners take from start to exit, with a test file that uses the simulator and with one that does not,
 * alternately.
 * @param {import('./peers.mjs').Peer} ours installed peer
 * @param {{ times: number, say: (text: string) => void }} options half as many pairs as `times`
 * @returns {Promise<any>} durations in milliseconds
 */
export async function measureWaits(ours, { times, say }) {
  await install(runners);
  const cwd = folderOf(runners);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(cwd, name, '..'), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const server = await start(ours, { port, plain: true });
  const yardstick = [];
  const found = [];
  try {
    for (const { what, of, to, against } of rows) {
      const samples = { of: [], to: [] };
      // Both once before, because the first run of a tool fills its caches.
      await runMs(cwd, of);
      await runMs(cwd, to);
      for (let time = 0; time < Math.ceil(times / 2); time++) {
        yardstick.push(...yardstickMs());
        for (const side of time % 2 === 0 ? ['of', 'to'] : ['to', 'of'])
          samples[side].push(await runMs(cwd, side === 'of' ? of : to));
      }
      const added = samples.of.map((ms, at) => ms - samples.to[at]);
      found.push({ what, against, ms: median(samples.of), againstMs: median(samples.to), addedMs: median(added) });
      say(`${what}: ${median(samples.of).toFixed(0)} ms, ${median(added).toFixed(0)} ms more than ${against}`);
    }
  } finally {
    await server.stop();
  }
  const builds = [];
  for (let time = 0; time < 3; time++)
    builds.push(await msOf('npm', ['run', 'build'], join(import.meta.dirname, '..')));
  found.push({ what: 'Build of a clone: `npm run build`', ms: median(builds) });
  return { found, yardstick, unit: 'ms' };
}

const runMs = (cwd, file) => msOf(process.execPath, [...commands[file.split('/')[0]], file], cwd);

/** Runs a command. @returns the time from spawn to exit @throws {Error} if the command fails */
async function msOf(command, args, cwd) {
  const startedMs = performance.now();
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: '', NO_COLOR: '1' },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`expected ${args.join(' ')} to pass, got exit code ${code}:\n${output}`);
  return performance.now() - startedMs;
}
