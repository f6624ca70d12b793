// @module-tag extended
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArguments, chromiumPath } from '../support/chromium.js';
import { freePort } from '../support/free-port.js';
import { installProjects, packPackage, runIn } from '../support/installed.js';

const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const examples = [
  'react',
  'vitest-client',
  'vitest-browser',
  'jest',
  'ts-jest',
  'tanstack-query',
  'openapi-fetch',
] as const;

let folder: string;
let installing: Promise<void>;

// One installation of all examples, because npm workspaces unpack a shared package once.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-examples-'));
  const { tarball } = await packPackage(folder);
  await mkdir(join(folder, 'installed'));
  installing = installProjects(join(folder, 'installed'), tarball, { examples, projects: {} });
  // Each test that needs the installation reports its failure.
  installing.catch(() => {});
});
afterAll(async () => {
  // Otherwise npm writes into a folder that is being removed, if a run of one test ends first.
  await installing.catch(() => {});
  await rm(folder, { recursive: true, force: true });
});

/** Folder of an installed example. */
async function installed(name: (typeof examples)[number]): Promise<string> {
  await installing;
  return join(folder, 'installed', name);
}

/** Runs the tests of an example with Vitest, whose own 5 s for a test are too short under load. */
const vitestRun = ['vitest', 'run', '--testTimeout', '120000', '--reporter', 'json'];
/** Runs the tests of an example with Jest, with the same timeout. */
const jestRun = ['jest', '--testTimeout', '120000', '--json'];

describe.concurrent('the example projects with the installed package', { timeout: 900_000 }, () => {
  describe('examples/react', () => {
    test('its unit tests pass with the handlers of development', async () => {
      const report = JSON.parse(await runIn(await installed('react'), 'npx', vitestRun));
      expect(report).toMatchObject({ numPassedTests: 3, numFailedTests: 0, numPendingTests: 0 });
    });

    test('its types are correct', async () => {
      expect(await runIn(await installed('react'), process.execPath, [tsc, '--project', '.'])).toBe('');
    });

    test('its tests in Chromium pass, for the built page and the page in development', {
      tags: 'needs/chromium',
    }, async () => {
      const cwd = await installed('react');
      const [DEV_PORT, PREVIEW_PORT, PETSTORE_PORT] = (await Promise.all([freePort(), freePort(), freePort()])).map(
        String,
      );
      const CHROMIUM_ARGS = [...chromiumArguments, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
      const output = await runIn(
        cwd,
        'npm',
        ['run', '--silent', 'test:e2e', '--', '--timeout', '120000', '--reporter', 'json'],
        {
          DEV_PORT,
          PREVIEW_PORT,
          PETSTORE_PORT,
          CHROMIUM_PATH: chromiumPath,
          CHROMIUM_ARGS: JSON.stringify(CHROMIUM_ARGS),
        },
      );
      const { stats } = JSON.parse(output.slice(output.indexOf('\n{')));
      expect(stats).toMatchObject({ expected: 4, unexpected: 0, flaky: 0, skipped: 0 });
    });
  });

  describe('examples/jest', () => {
    test('its tests pass in CommonJS, for a client in Node and a page in jsdom with msw', async () => {
      const cwd = await installed('jest');
      const report = JSON.parse(await runIn(cwd, 'npx', jestRun));
      expect(report).toMatchObject({ numPassedTests: 11, numFailedTests: 0, numPendingTests: 0 });
    });

    /** Runs a test file in the folder of the example. @returns Jest's output, and the result of each test */
    async function runJest(name: string, source: string, testEnvironment = 'node') {
      const cwd = await installed('jest');
      const config = { testMatch: [`<rootDir>/test/${name}.js`], testEnvironment };
      await writeFile(join(cwd, `${name}.config.js`), `module.exports = ${JSON.stringify(config)};`);
      await writeFile(join(cwd, `test/${name}.js`), source);
      const run = [...jestRun, '--config', `${name}.config.js`, '--outputFile', `${name}.json`];
      const said = await runIn(cwd, 'npx', run).catch(({ message }: Error) => message);
      const { testResults } = JSON.parse(await readFile(join(cwd, `${name}.json`), 'utf8'));
      const results: { title: string; status: string; failureMessages: string[] }[] = testResults[0].assertionResults;
      return { said, message: testResults[0].message, results };
    }

    test('a timeout during a wait is explained, and leaves no handle that delays Jest', async () => {
      const { said, results } = await runJest(
        'timed-out',
        `import { test } from 'petstore-sim/jest';
        const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
        refused('times out', async ({ baseUrl, apiKey }) => {
          await fetch(baseUrl + '/pets', { headers: { authorization: 'Bearer ' + apiKey } });
          await new Promise(() => {});
        }, 3_000);
        test('is served', async ({ sim, apiKey }) => {
          await sim.fetch('/v1/pets', { headers: { authorization: 'Bearer ' + apiKey } });
        });`,
      );
      expect(said).toContain('got 1:');
      expect(said).not.toContain('Jest did not exit');
      expect(results).toMatchObject([
        {
          status: 'failed',
          failureMessages: [
            expect.stringContaining('Exceeded timeout of 3000 ms'),
            expect.stringMatching(/told to wait by the 429 of GET \/pets: .* jest\.advanceTimersByTimeAsync/),
          ],
        },
        { status: 'passed' },
      ]);
    });

    test('a test that fails by itself shows the verdict on its client as well', async () => {
      const { said, results } = await runJest(
        'fails-first',
        `import assert from 'node:assert/strict';
        import { test } from 'petstore-sim/jest';
        const usedUp = { keys: { 'free-key': { usage: { minute: 60 } } } };
        const headers = { authorization: 'Bearer free-key' };
        const hasty = async (sim) => {
          for (let attempt = 1; attempt <= 3; attempt++) await sim.fetch('/v1/pets', { headers });
          return sim.fetch('/v1/pets', { headers });
        };
        const refused = test.extend({ scenario: usedUp });
        refused('expects', async ({ sim }) => {
          expect.assertions(1);
          expect((await hasty(sim)).status).toBe(200);
        });
        refused('asserts', async ({ sim }) => assert.equal((await hasty(sim)).status, 200));
        refused('aborts', async ({ sim }) => {
          await hasty(sim);
          throw new DOMException('The operation was aborted', 'AbortError');
        });
        refused('throws a text', async ({ sim }) => {
          await hasty(sim);
          throw 'no error';
        });
        refused('throws a frozen error', async ({ sim }) => {
          await hasty(sim);
          throw Object.freeze(new Error('frozen'));
        });
        refused('times out', async ({ sim }) => {
          await hasty(sim);
          await new Promise(() => {});
        }, 1_000);
        refused.extend({ verdict: 'ignore' })('is not judged', async ({ sim }) => {
          expect((await hasty(sim)).status).toBe(200);
        });
        refused('waits', async ({ sim }) => {
          expect((await sim.fetch('/v1/pets', { headers })).status).toBe(200);
        });
        test('sends nothing', async ({ sim }) => {
          expect(sim.pets.size).toBe(41);
        });`,
      );
      const messages = new Map(results.map((result) => [result.title, result.failureMessages.join('\n')]));
      const verdict = /expected that the client had behaved\. The client .*\n {2}early-retry: Retried /s;
      for (const [title, own] of [
        ['expects', /Expected: .*200.*Received: .*429/s],
        ['asserts', /Message:.*429 !== 200/s],
        ['aborts', /AbortError: The operation was aborted/],
        ['throws a text', /expected an Error, but the test threw 'no error'/],
        ['throws a frozen error', /Error: frozen/],
        ['times out', /Exceeded timeout of 1000 ms/],
      ] as const) {
        expect(messages.get(title), title).toMatch(own);
        expect(messages.get(title), title).toMatch(verdict);
      }
      // The place in the test file is shown as before.
      expect(messages.get('expects')).toContain('test/fails-first.js:12');
      expect(said).toContain('The client retried too early');
      for (const title of ['is not judged', 'waits', 'sends nothing']) {
        expect(messages.get(title), title).toMatch(/Expected: .*Received: /s);
        expect(messages.get(title), title).not.toContain('expected that the client');
      }
    });

    test('a finished test leaves no delayed response that delays Jest', async () => {
      const { said, results } = await runJest(
        'gives-up',
        `import { test } from 'petstore-sim/jest';
        const slow = test.extend({ scenario: { faults: [{ then: { delay: '30s' } }] } });
        const init = { headers: { authorization: 'Bearer free-key' } };
        slow('gives up', async ({ sim }) => {
          const answer = sim.fetch('/v1/pets', init);
          await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 100))]);
          setTimeout(() => sim.fetch('/v1/pets', init), 50);
        });
        slow('times out', ({ sim }) => sim.fetch('/v1/pets', init), 100);`,
      );
      expect(said).toContain('got 1:');
      expect(said).not.toContain('Jest did not exit');
      expect(results).toMatchObject([{ status: 'passed' }, { status: 'failed' }]);
    });

    test('an unknown option is rejected when the file is loaded', async () => {
      const { results } = await runJest(
        'misspelt',
        `import { test } from 'petstore-sim/jest';
        it.each([{ verdict: 'checked' }, { scenaro: 'minute-wall' }, { sim: {} }])('%j', (options) => {
          test.extend(options);
        });
        test.extend({ verdict: undefined, scenario: undefined })('is served', async ({ sim }) => {
          await sim.fetch('/v1/pets');
        });`,
      );
      expect(results).toMatchObject([
        {
          failureMessages: [expect.stringContaining("the option verdict: expected 'check' or 'ignore', got 'checked'")],
        },
        {
          failureMessages: [
            expect.stringContaining('test.extend: expected the options scenario, verdict, got "scenaro"'),
          ],
        },
        { failureMessages: [expect.stringContaining('scenario, verdict, got "sim"\n')] },
        { status: 'passed' },
      ]);
    });

    test('the kit works in jsdom, with fake timers and over HTTP with many concurrent responses', async () => {
      const { message, results } = await runJest(
        'in-jsdom',
        `import { test } from 'petstore-sim/jest';
        import { listPets } from '../src/petstore';
        const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
        refused('waits', async ({ sim, apiKey }) => {
          jest.useFakeTimers();
          const listed = listPets('https://api.petstore.example/v1', apiKey, sim.fetch);
          await jest.advanceTimersByTimeAsync(70_000);
          document.body.textContent = (await listed)[0].name;
          jest.useRealTimers();
          expect(sim).toHaveHonouredRetryAfter();
        });
        test('lists', async ({ baseUrl, apiKey }) => {
          const lists = await Promise.all(Array.from({ length: 12 }, () => listPets(baseUrl, apiKey)));
          expect(lists.map(({ length }) => length)).toEqual(lists.map(() => 40));
        });`,
        'jest-fixed-jsdom',
      );
      expect({ message, results }).toMatchObject({
        message: '',
        results: [{ status: 'passed' }, { status: 'passed' }],
      });
    });

    test.each(['node16', 'nodenext'])('its types are correct with module %s', async (module) => {
      expect(await runIn(await installed('jest'), process.execPath, [tsc, '--project', '.', '--module', module])).toBe(
        '',
      );
    });
  });

  describe('examples/ts-jest', () => {
    test('its component passes with msw, and no Babel package is listed', async () => {
      const cwd = await installed('ts-jest');
      expect(await readFile(join(cwd, 'package.json'), 'utf8')).not.toContain('babel');
      const report = JSON.parse(await runIn(cwd, 'npx', jestRun));
      expect(report).toMatchObject({ numPassedTests: 1, numFailedTests: 0, numPendingTests: 0 });
    });

    test('its types are correct', async () => {
      expect(await runIn(await installed('ts-jest'), process.execPath, [tsc, '--project', '.'])).toBe('');
    });
  });

  describe('examples/vitest-browser', { tags: 'needs/chromium' }, () => {
    const env = { CHROMIUM_PATH: chromiumPath, CHROMIUM_ARGS: JSON.stringify(chromiumArguments) };
    const wrong = `import { test } from 'petstore-sim/vitest';
      test.extend({ scenario: 'minute-wal' })('a name', ({ sim }) => sim.reset());
      test('a port', ({ baseUrl }) => fetch(baseUrl));
      test('no simulator', () => {});`;

    test('its tests pass in Chromium, and unsupported features are reported', async () => {
      const cwd = await installed('vitest-browser');
      await writeFile(join(cwd, 'test/wrong.test.ts'), wrong);
      const report = join(cwd, 'report.json');
      await runIn(cwd, 'npx', [...vitestRun, '--outputFile', report], env).catch(() => {});
      const { testResults } = JSON.parse(await readFile(report, 'utf8'));
      const results = testResults.flatMap(({ assertionResults }: { assertionResults: object[] }) => assertionResults);
      expect(results).toMatchObject([
        { title: 'the page shows the wait, then the pets', status: 'passed' },
        { title: 'a shipped scenario has a name', status: 'passed' },
        { title: 'a name', failureMessages: [expect.stringContaining('did you mean minute-wall?')] },
        { title: 'a port', failureMessages: [expect.stringContaining('a test in a browser has no baseUrl')] },
        { title: 'no simulator', failureMessages: [expect.stringContaining('to use the fixture sim')] },
      ]);
    });

    test('its types are correct', async () => {
      expect(await runIn(await installed('vitest-browser'), process.execPath, [tsc, '--project', '.'])).toBe('');
    });
  });

  describe('examples/tanstack-query', () => {
    test('its retry settings pass scenarios with rejections, bans and failures', async () => {
      const some = ['minute-wall', '401-loop', 'ban-on-third-strike', 'thundering-herd', 'flaky-5xx', 'http-date'];
      const cwd = await installed('tanstack-query');
      const args = ['petstore-sim', 'gauntlet', '--json', ...some, '--', 'node', 'client.js'];
      const { results } = JSON.parse(await runIn(cwd, 'npx', args));
      const outcomes = results.map(({ scenario, outcome }: Record<string, string>) => [scenario, outcome]);
      expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(some.map((name) => [name, 'pass'])));
    });

    test('they wait for a reset of the limit after a 429, and not after a 500', async () => {
      const module = pathToFileURL(join(await installed('tanstack-query'), 'query-client.js')).href;
      const { PetstoreError, queryClient } = await import(module);
      const { retryDelay } = queryClient.getDefaultOptions().queries;
      const headers = { 'X-RateLimit-Reset': '60' };
      const waitMs = (status: number) => retryDelay(0, new PetstoreError(new Response('', { status, headers })));
      expect(waitMs(429)).toBeGreaterThanOrEqual(60_000);
      expect(waitMs(500)).toBeLessThan(2_000);
    });

    test('TanStack Query repeats a 401 without them', async () => {
      const cwd = await installed('tanstack-query');
      await writeFile(
        join(cwd, 'default.js'),
        (await readFile(join(cwd, 'query-client.js'), 'utf8')).replace(/ +retry: \(.*\n(?: {8}.*\n)*/, ''),
      );
      await writeFile(
        join(cwd, 'wrong.js'),
        (await readFile(join(cwd, 'client.js'), 'utf8')).replace('./query-client.js', './default.js'),
      );
      const wrong = runIn(cwd, 'npx', ['petstore-sim', 'exec', '--scenario', '401-loop', '--', 'node', 'wrong.js']);
      await expect(wrong).rejects.toThrow('retried-401');
    });
  });

  test('examples/openapi-fetch: the generated types fit its client, and its tests pass', async () => {
    const cwd = await installed('openapi-fetch');
    expect(await runIn(cwd, 'npm', ['test'])).toMatch(/# pass 2\n# fail 0/);
    expect(await runIn(cwd, process.execPath, [tsc, '--project', '.'])).toBe('');
  });

  describe('examples/vitest-client', () => {
    test('its tests pass: the right client behaves, and the wrong one is detected', async () => {
      const cwd = await installed('vitest-client');
      const report = JSON.parse(await runIn(cwd, 'npx', vitestRun));
      expect(report).toMatchObject({ numPassedTests: 7, numFailedTests: 0, numPendingTests: 0 });
    });

    test('TypeScript knows the fixtures and matchers from the installed package', async () => {
      expect(await runIn(await installed('vitest-client'), process.execPath, [tsc, '--project', '.'])).toBe('');
    });
  });

  // Installed together, an example could use what another one lists.
  test.each(examples)('examples/%s lists every package that it imports', (name) => {
    const example = join(root, 'examples', name);
    const { dependencies = {}, devDependencies } = JSON.parse(readFileSync(join(example, 'package.json'), 'utf8'));
    const sources = readdirSync(example, { recursive: true, encoding: 'utf8' }).filter(
      (path) => /(?:\.tsx?|(?<!config)\.js)$/.test(path) && !path.includes('node_modules'),
    );
    const imported = sources.flatMap((path) =>
      [...readFileSync(join(example, path), 'utf8').matchAll(/ from '(?!node:)((?:@[\w-]+\/)?[\w-]+)[^']*'/g)].map(
        ([, found]) => found,
      ),
    );
    if (name !== 'tanstack-query') expect(imported).toContain('petstore-sim');
    for (const found of imported) expect({ ...dependencies, ...devDependencies }).toHaveProperty([found as string]);
  });
});
