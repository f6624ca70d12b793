import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumArguments, chromiumPath } from '../support/chromium.js';
import { installProjects, type PackedPackage, packPackage, runIn } from '../support/installed.js';

const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const exec = promisify(execFile);
let folder: string;
let packed: PackedPackage;
let installing: Promise<void>;

const examples = ['react', 'vitest-client', 'vitest-browser', 'jest', 'tanstack-query', 'openapi-fetch'] as const;

// One installation serves all tests: the examples, and a project that has the package and msw. The dependencies come
// from the registry.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-package-'));
  packed = await packPackage(folder);
  await mkdir(join(folder, 'installed'));
  const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const consumer = {
    type: 'module',
    dependencies: { 'petstore-sim': `file:${packed.tarball}`, msw: devDependencies.msw },
  };
  installing = installProjects(join(folder, 'installed'), packed.tarball, {
    examples,
    projects: { consumer },
  });
  // The tests that need it say why it failed.
  installing.catch(() => {});
});
afterAll(async () => {
  // A run of a few tests alone may be over before it, and npm would write into a folder that is being removed.
  await installing.catch(() => {});
  await rm(folder, { recursive: true, force: true });
});

/** The folder of an installed project. */
async function installed(name: (typeof examples)[number] | 'consumer'): Promise<string> {
  await installing;
  return join(folder, 'installed', name);
}

describe.concurrent('the installed package', { timeout: 180_000 }, () => {
  test('the package holds the build, the data and the words, and nothing else', () => {
    const allowed =
      /^(dist\/.+\.(js|d\.ts|cjs|d\.cts)|fixtures\/.+\.json|scenarios\/.+\.(yaml|md)|dist\/(schema|scenarios\/.+)\.json|schema\.json|docs\/.+\.(md|svg|png)|examples\/clients\/[^/]+|(README|CHANGELOG|SECURITY|SKILL)\.md|llms\.txt|LICENSE|dist\/dashboard\/.+\.(html|css)|dist\/dashboard\/LICENCES\.txt|package\.json)$/;
    expect(packed.files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(packed.files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/msw.js', 'dist/seed.js', 'dist/cli/main.cjs']),
    );
  });

  test('npx runs the package in an empty folder, and it answers', async () => {
    const cwd = await mkdtemp(join(folder, 'empty-'));
    const child = spawn(
      'npx',
      ['--yes', `--package=${packed.tarball}`, 'petstore-sim', '--port', '0', '--log', 'json'],
      {
        cwd,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
      const { baseUrl, keys } = JSON.parse(first.value);
      const response = await fetch(`${baseUrl}/pets?limit=2`, { headers: { authorization: `Bearer ${keys[0].key}` } });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-ratelimit-remaining')).toBe('59');
      expect(await response.json()).toHaveLength(2);
    } finally {
      // npx starts the server as a child of its own; the group is ours alone.
      process.kill(-(child.pid as number), 'SIGTERM');
    }
  });

  test('every entry can be imported from an installed package, and the wrong one fails at resolution', async () => {
    const cwd = await installed('consumer');
    await writeFile(
      join(cwd, 'use.js'),
      `import { createSimulator } from 'petstore-sim';
     import { createControl } from 'petstore-sim/control';
     import { handlers } from 'petstore-sim/msw';
     import { listen } from 'petstore-sim/node';
     import { generatePets } from 'petstore-sim/seed';
     import { judge } from 'petstore-sim/verdict';
     import { setupServer } from 'msw/node';
     const sim = createSimulator({ scenario: { pets: { generate: { sold: 3 } } }, generatePets });
     const msw = setupServer(...handlers(sim));
     msw.listen();
     const init = { headers: { authorization: 'Bearer free-key' } };
     const mocked = await (await fetch('https://api.petstore.example/v1/pets', init)).json();
     msw.close();
     const server = await listen(sim, { port: 0 });
     const served = await (await fetch(server.baseUrl + '/pets', init)).json();
     const { status } = await createControl(server.controlUrl).getHealth();
     await server.close();
     const inner = await import('petstore-sim/dist/simulator.js').catch((error) => error.code);
     console.log(JSON.stringify([mocked.length, served.length, status, judge(sim).counts.served, inner]));`,
    );
    const { stdout } = await exec(process.execPath, ['use.js'], { cwd });
    expect(JSON.parse(stdout)).toEqual([3, 3, 'ok', 2, 'ERR_PACKAGE_PATH_NOT_EXPORTED']);
  });

  describe('by require and by import in one program', () => {
    const program = `const { createSimulator, ScenarioError } = require('petstore-sim');
const { matchers } = require('petstore-sim/matchers');
(async () => {
  const esm = {
    ...(await import('petstore-sim')),
    ...(await import('petstore-sim/control')),
    ...(await import('petstore-sim/msw')),
    ...(await import('petstore-sim/node')),
    ...(await import('petstore-sim/verdict')),
  };
  const sim = createSimulator({ scenario: { faults: [{ when: { nth: 2 }, then: { delay: '1h' } }] } });
  const { setupServer } = await import('msw/node');
  const msw = setupServer(...esm.handlers(sim, { baseUrl: 'https://api.petstore.example/v1' }));
  msw.listen({ onUnhandledRequest: 'bypass' });
  const init = { headers: { authorization: 'Bearer free-key' } };
  const call = (base) => fetch(base + '/pets', init).then(({ status }) => status, ({ name }) => name);
  const statuses = [await call('https://api.petstore.example/v1')];
  const waiting = call('https://api.petstore.example/v1');
  await new Promise((resolve) => setTimeout(resolve, 100));
  sim.reset();
  statuses.push(await waiting);
  msw.close();
  const server = await esm.listen(sim, { port: 0 });
  statuses.push(await call(server.baseUrl));
  const remote = esm.createControl(server.controlUrl);
  const refused = await remote.loadScenario({ scenario: { kees: {} } }).catch(({ status }) => status);
  await server.close();
  const errors = [createSimulator, esm.createSimulator].map((create) => {
    try {
      create({ scenario: { kees: {} } });
    } catch (error) {
      return [error instanceof ScenarioError, error instanceof esm.ScenarioError];
    }
  });
  const pass = matchers.toHaveBehaved.call({}, sim).pass;
  console.log(JSON.stringify({ isOne: createSimulator === esm.createSimulator, statuses, refused, errors, served: esm.judge(sim).counts.served, pass }));
})();
`;
    const worked = {
      statuses: [200, 'TypeError', 200],
      refused: 400,
      errors: [
        [true, true],
        [true, true],
      ],
      served: 1,
      pass: true,
    };

    test('there is one copy of the code, on Node as it is', async () => {
      const cwd = await installed('consumer');
      await writeFile(join(cwd, 'both.cjs'), program);
      const { stdout } = await exec(process.execPath, ['both.cjs'], { cwd });
      expect(JSON.parse(stdout)).toEqual({ isOne: true, ...worked });
    });

    test('and where Node cannot require ES modules, the two copies work together', async () => {
      const cwd = await installed('consumer');
      await writeFile(join(cwd, 'two.cjs'), program);
      const { stdout } = await exec(process.execPath, ['--no-experimental-require-module', 'two.cjs'], { cwd });
      expect(JSON.parse(stdout)).toEqual({ isOne: false, ...worked });
    });
  });

  describe('import scenario from petstore-sim/scenarios/NAME.json', () => {
    const source = `import { createSimulator } from 'petstore-sim';
import scenario from 'petstore-sim/scenarios/near-minute-limit.json';
const sim = createSimulator({ scenario: { ...scenario, name: scenario.name + ' here' } });
console.log(sim.name, sim.keys.get('free-key').minute.remaining, createSimulator({ scenario }).name);
`;

    test.each([
      ['bundler', source],
      ['nodenext', source.replace(".json';", ".json' with { type: 'json' };")],
    ])('fits createSimulator for TypeScript with moduleResolution %s', async (resolution, text) => {
      const cwd = await installed('consumer');
      await writeFile(join(cwd, `${resolution}.ts`), text);
      const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
      const options = [
        '--noEmit',
        '--strict',
        '--resolveJsonModule',
        '--skipLibCheck',
        '--types',
        'node',
        '--target',
        'es2023',
      ];
      const modules = [
        '--module',
        module,
        '--moduleResolution',
        resolution,
        '--typeRoots',
        join(root, 'node_modules/@types'),
      ];
      await exec(process.execPath, [tsc, ...options, ...modules, `${resolution}.ts`], { cwd });
      const wrong = text.replace('{ scenario }', '{ scenario: { ...scenario, limits: 5 } }');
      await writeFile(join(cwd, `${resolution}-wrong.ts`), wrong);
      const failing = exec(process.execPath, [tsc, ...options, ...modules, `${resolution}-wrong.ts`], { cwd });
      await expect(failing).rejects.toMatchObject({ stdout: expect.stringContaining('is not assignable') });
    });

    test('bundles with esbuild for a page, and runs', async () => {
      const cwd = await installed('consumer');
      const stdin = { contents: source, resolveDir: cwd };
      await build({ stdin, bundle: true, format: 'esm', platform: 'browser', outfile: join(cwd, 'page.js') });
      const { stdout } = await exec(process.execPath, ['page.js'], { cwd });
      expect(stdout).toBe('near-minute-limit here 2 near-minute-limit\n');
    });
  });

  test('the schema that the first line of a shipped file names is in the package, and has an entry', async () => {
    const cwd = await installed('consumer');
    const module = join(folder, 'installed/node_modules/petstore-sim');
    const [line = ''] = (await readFile(join(module, 'scenarios/minute-wall.yaml'), 'utf8')).split('\n');
    const path = line.split('$schema=')[1] ?? '';
    const beside = JSON.parse(await readFile(join(module, 'scenarios', path), 'utf8'));
    await writeFile(
      join(cwd, 'schema.js'),
      "import schema from 'petstore-sim/schema.json' with { type: 'json' }; console.log(JSON.stringify(schema));",
    );
    const { stdout } = await exec(process.execPath, ['--no-warnings', 'schema.js'], { cwd });
    expect(JSON.parse(stdout)).toEqual(beside);
  });

  describe('examples/react', () => {
    test('its unit tests pass with the handlers that development has', async () => {
      const report = JSON.parse(await runIn(await installed('react'), 'npx', ['vitest', 'run', '--reporter', 'json']));
      expect(report).toMatchObject({ numPassedTests: 2, numFailedTests: 0, numPendingTests: 0 });
    });

    test('its types are right', async () => {
      expect(await runIn(await installed('react'), process.execPath, [tsc, '--project', '.'])).toBe('');
    });

    test('its tests in Chromium pass, of the built page and of the one in development', {
      tags: 'needs/chromium',
    }, async () => {
      const cwd = await installed('react');
      const [DEV_PORT, PREVIEW_PORT, PETSTORE_PORT] = await freePorts(3);
      const CHROMIUM_ARGS = [...chromiumArguments, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
      const output = await runIn(cwd, 'npm', ['run', '--silent', 'test:e2e', '--', '--reporter', 'json'], {
        DEV_PORT,
        PREVIEW_PORT,
        PETSTORE_PORT,
        CHROMIUM_PATH: chromiumPath,
        CHROMIUM_ARGS: JSON.stringify(CHROMIUM_ARGS),
      });
      const { stats } = JSON.parse(output.slice(output.indexOf('\n{')));
      expect(stats).toMatchObject({ expected: 4, unexpected: 0, flaky: 0, skipped: 0 });
    });
  });

  describe('examples/jest', () => {
    test('its tests pass in CommonJS: of a client in Node, and of a page in jsdom with msw', async () => {
      const cwd = await installed('jest');
      const report = JSON.parse(await runIn(cwd, 'npx', ['jest', '--json']));
      expect(report).toMatchObject({ numPassedTests: 9, numFailedTests: 0, numPendingTests: 0 });
    });

    /** Runs a test file beside those of the example: what Jest said, and how each of its tests ended. */
    async function runJest(name: string, source: string, testEnvironment = 'node') {
      const cwd = await installed('jest');
      const config = { testMatch: [`<rootDir>/test/${name}.ts`], testEnvironment };
      await writeFile(join(cwd, `${name}.config.js`), `module.exports = ${JSON.stringify(config)};`);
      await writeFile(join(cwd, `test/${name}.ts`), source);
      const run = ['jest', '--config', `${name}.config.js`, '--json', '--outputFile', `${name}.json`];
      const said = await runIn(cwd, 'npx', run).catch(({ message }: Error) => message);
      const { testResults } = JSON.parse(await readFile(join(cwd, `${name}.json`), 'utf8'));
      return { said, message: testResults[0].message, results: testResults[0].assertionResults };
    }

    test('a test that times out in a wait says so, and leaves nothing that Jest would wait for', async () => {
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

    test('a test that has ended leaves no delayed answer that Jest would wait for', async () => {
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

    test('an option that the kit does not know is refused when the file is loaded', async () => {
      const { results } = await runJest(
        'misspelt',
        `import { test } from 'petstore-sim/jest';
        it.each([{ verdict: 'checked' }, { scenaro: 'minute-wall' }, { sim: {} }])('%j', (options) => {
          test.extend(options as object);
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

    test('the kit works in jsdom: with fake timers, and over real HTTP with many answers at once', async () => {
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

    test.each(['node16', 'nodenext'])('its types are right with module %s', async (module) => {
      expect(await runIn(await installed('jest'), process.execPath, [tsc, '--project', '.', '--module', module])).toBe(
        '',
      );
    });
  });

  describe('examples/vitest-browser', { tags: 'needs/chromium' }, () => {
    const env = { CHROMIUM_PATH: chromiumPath, CHROMIUM_ARGS: JSON.stringify(chromiumArguments) };
    const wrong = `import { test } from 'petstore-sim/vitest';
      test.extend({ scenario: 'minute-wal' })('a name', ({ sim }) => sim.reset());
      test('a port', ({ baseUrl }) => fetch(baseUrl));
      test('no simulator', () => {});`;

    test('its tests pass in Chromium, and what a browser cannot do is said', async () => {
      const cwd = await installed('vitest-browser');
      await writeFile(join(cwd, 'test/wrong.test.ts'), wrong);
      const report = join(cwd, 'report.json');
      await runIn(cwd, 'npx', ['vitest', 'run', '--reporter', 'json', '--outputFile', report], env).catch(() => {});
      const { testResults } = JSON.parse(await readFile(report, 'utf8'));
      const results = testResults.flatMap(({ assertionResults }: { assertionResults: object[] }) => assertionResults);
      expect(results).toMatchObject([
        { title: 'the page says that it waits, and shows the pets', status: 'passed' },
        { title: 'a shipped scenario has a name', status: 'passed' },
        { title: 'a name', failureMessages: [expect.stringContaining('did you mean minute-wall?')] },
        { title: 'a port', failureMessages: [expect.stringContaining('a test in a browser has no baseUrl')] },
        { title: 'no simulator', failureMessages: [expect.stringContaining('to take the simulator')] },
      ]);
    });

    test('its types are right', async () => {
      expect(await runIn(await installed('vitest-browser'), process.execPath, [tsc, '--project', '.'])).toBe('');
    });
  });

  describe('examples/tanstack-query', () => {
    test('its retry settings pass where the service refuses, bans and fails', async () => {
      const some = ['minute-wall', '401-loop', 'ban-on-third-strike', 'thundering-herd', 'flaky-5xx', 'http-date'];
      const cwd = await installed('tanstack-query');
      const args = ['petstore-sim', 'gauntlet', '--json', ...some, '--', 'node', 'client.js'];
      const { results } = JSON.parse(await runIn(cwd, 'npx', args));
      const outcomes = results.map(({ scenario, outcome }: Record<string, string>) => [scenario, outcome]);
      expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(some.map((name) => [name, 'pass'])));
    });

    test('without them, TanStack Query repeats a 401', async () => {
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

  test('examples/openapi-fetch: types come from the description, fit its client, and its tests pass', async () => {
    const cwd = await installed('openapi-fetch');
    expect(await runIn(cwd, 'npm', ['test'])).toMatch(/# pass 2\n# fail 0/);
    expect(await runIn(cwd, process.execPath, [tsc, '--project', '.'])).toBe('');
  });

  describe('examples/vitest-client', () => {
    test('its tests pass: the right client behaves, and the wrong one is found out', async () => {
      const cwd = await installed('vitest-client');
      const report = JSON.parse(await runIn(cwd, 'npx', ['vitest', 'run', '--reporter', 'json']));
      expect(report).toMatchObject({ numPassedTests: 6, numFailedTests: 0, numPendingTests: 0 });
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

/** Ports that were free a moment ago: Playwright has to know the addresses of its servers beforehand. */
async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<string>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve(String((server.address() as { port: number }).port)));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
