import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PackedPackage, packPackage } from '../support/installed.js';

const root = join(import.meta.dirname, '../..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const exec = promisify(execFile);
let folder: string;
let packed: PackedPackage;

// A copy of the package's files beside its dependencies is what `npm install` leaves, which the tests of examples run.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-package-'));
  packed = await packPackage(folder);
  await mkdir(consumerFolder(), { recursive: true });
  await writeFile(join(consumerFolder(), 'package.json'), '{ "private": true, "type": "module" }');
  const modules = join(folder, 'installed/node_modules');
  for (const file of packed.files) await cp(join(root, file), join(modules, 'petstore-sim', file));
  const { bin, dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const links = [...Object.keys(dependencies), 'msw'].map((name) => [name, join(root, 'node_modules', name)]);
  links.push(['.bin/petstore-sim', join('../petstore-sim', bin['petstore-sim'])]);
  for (const [name = '', target = ''] of links) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(target, join(modules, name));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Folder of a project that depends on the package and on msw. */
const consumerFolder = () => join(folder, 'installed/consumer');

describe.concurrent('installed package', { timeout: 180_000 }, () => {
  test('contains only the build, the data and the documentation', () => {
    const allowed =
      /^(dist\/.+\.(js|cjs)|dist\/types\/.+\.d\.c?ts|dist\/(scenario-texts|scenarios\/[\w-]+)\.json|schema\.json|docs\/.+\.(md|svg)|examples\/clients\/[^/]+|(README|CHANGELOG|SECURITY|SKILL)\.md|llms\.txt|LICENSE|dist\/dashboard\/.+\.(html|css)|dist\/dashboard\/LICENCES\.txt|package\.json)$/;
    expect(packed.files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(packed.files).toEqual(
      expect.arrayContaining(['dist/index.js', 'dist/msw.js', 'dist/seed.js', 'dist/cli/main.cjs']),
    );
  });

  // 439 and 1.04 MB before the pages about CI, evidence, own services and pages in development, the kit for node:test,
  // the words of other services, keys in any place, classes of retry bugs, servers that pass connections on, costs and official SDKs.
  test('has at most 478 files and 1.13 MB', async () => {
    expect(packed.files.length).toBeLessThanOrEqual(478);
    expect((await stat(packed.tarball)).size).toBeLessThanOrEqual(1_130_000);
  });

  test("has every file that the README's links name", async () => {
    const readme = await readFile(join(consumerFolder(), '../node_modules/petstore-sim/README.md'), 'utf8');
    const targets = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
    expect(targets).toContain('CHANGELOG.md');
    expect([...new Set(targets)].filter((path) => !packed.files.includes(path))).toEqual([]);
  });

  for (const [where, tags] of [
    ['in a project', []],
    ['in an empty folder', ['extended']],
  ] as const) {
    test(`runs by npx ${where}, and responds`, { tags: [...tags] }, async () => {
      const isEmpty = where === 'in an empty folder';
      const cwd = isEmpty ? await mkdtemp(join(folder, 'empty-')) : join(folder, 'installed');
      const from = isEmpty ? ['--yes', `--package=${packed.tarball}`] : [];
      const child = spawn('npx', [...from, 'petstore-sim', '--port', '0', '--log', 'json'], {
        cwd,
        detached: true,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const first = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
        const { baseUrl, keys } = JSON.parse(first.value);
        const response = await fetch(`${baseUrl}/pets?limit=2`, {
          headers: { authorization: `Bearer ${keys[0].key}` },
        });
        expect(response.status).toBe(200);
        expect(response.headers.get('x-ratelimit-remaining')).toBe('59');
        expect(await response.json()).toHaveLength(2);
      } finally {
        // npx starts the server as a child process in a process group that contains nothing more.
        process.kill(-(child.pid as number), 'SIGTERM');
      }
    });
  }

  test('exports every entry, and a wrong entry fails at resolution', async () => {
    const cwd = consumerFolder();
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

  describe('by require and by import in one program', { tags: 'extended' }, () => {
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

    test('loads one copy of the code by default', async () => {
      const cwd = consumerFolder();
      await writeFile(join(cwd, 'both.cjs'), program);
      const { stdout } = await exec(process.execPath, ['both.cjs'], { cwd });
      expect(JSON.parse(stdout)).toEqual({ isOne: true, ...worked });
    });

    test('loads two copies that work together if Node cannot require ES modules', async () => {
      const cwd = consumerFolder();
      await writeFile(join(cwd, 'two.cjs'), program);
      const { stdout } = await exec(process.execPath, ['--no-experimental-require-module', 'two.cjs'], { cwd });
      expect(JSON.parse(stdout)).toEqual({ isOne: false, ...worked });
    });
  });

  describe('types in a CommonJS program', { tags: 'extended' }, () => {
    const program = `import { createSimulator, ScenarioError, type Simulator } from 'petstore-sim';
import { createControl, type RemoteControl } from 'petstore-sim/control';
import { hunt } from 'petstore-sim/hunt';
import { listen } from 'petstore-sim/node';
import { generatePets } from 'petstore-sim/seed';
import { judge, type Verdict } from 'petstore-sim/verdict';
export const sim: Simulator = createSimulator({ scenario: { pets: { generate: { sold: 3 } } }, generatePets });
export const verdict: Verdict = judge(sim);
export const now: string = createControl(sim).getClock().now;
export const times = async (control: RemoteControl): Promise<string> => (await control.getClock()).now;
export const messageOf = (error: unknown) => (error instanceof ScenarioError ? error.issues[0]?.message : '');
export const found = hunt(async ({ fetch }) => void (await fetch('/v1/pets')));
export const served = listen(sim, { port: 0 });
`;

    // Without skipLibCheck, so that the declarations are checked, too.
    test.each(['node16', 'nodenext'])('are the types of the ES modules, with module %s', async (module) => {
      const cwd = consumerFolder();
      const options = ['--noEmit', '--strict', '--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
      const forms = ['--module', module, '--target', 'es2023', '--lib', 'es2024,dom,dom.iterable,esnext.disposable'];
      await writeFile(join(cwd, `${module}-types.cts`), program);
      await exec(process.execPath, [tsc, ...options, ...forms, `${module}-types.cts`], { cwd });
      await writeFile(join(cwd, `${module}-wrong.cts`), program.replace('getClock().now', 'getClock().later'));
      const failing = exec(process.execPath, [tsc, ...options, ...forms, `${module}-wrong.cts`], { cwd });
      await expect(failing).rejects.toMatchObject({ stdout: expect.stringContaining("'later' does not exist") });
    });
  });

  describe('import scenario from petstore-sim/scenarios/NAME.json', { tags: 'extended' }, () => {
    const source = `import { createSimulator } from 'petstore-sim';
import scenario from 'petstore-sim/scenarios/near-minute-limit.json';
const sim = createSimulator({ scenario: { ...scenario, name: scenario.name + ' here' } });
console.log(sim.name, sim.keys.get('free-key').minute.remaining, createSimulator({ scenario }).name);
`;

    test.each([
      ['bundler', source],
      ['nodenext', source.replace(".json';", ".json' with { type: 'json' };")],
    ])('fits createSimulator for TypeScript with moduleResolution %s', async (resolution, text) => {
      const cwd = consumerFolder();
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
      const cwd = consumerFolder();
      const stdin = { contents: source, resolveDir: cwd };
      await build({ stdin, bundle: true, format: 'esm', platform: 'browser', outfile: join(cwd, 'page.js') });
      const { stdout } = await exec(process.execPath, ['page.js'], { cwd });
      expect(stdout).toBe('near-minute-limit here 2 near-minute-limit\n');
    });
  });

  test('contains the schema that the first line of a shipped scenario names, and exports it', {
    tags: 'extended',
  }, async () => {
    const cwd = consumerFolder();
    const project = join(folder, 'installed');
    const { stdout: text } = await exec('npx', ['petstore-sim', 'scenarios', 'minute-wall'], { cwd: project });
    const [, path = ''] = /^# yaml-language-server: \$schema=(.*)$/m.exec(text) ?? [];
    expect(path).toMatch(/^\.\/node_modules\//);
    const beside = JSON.parse(await readFile(join(project, path), 'utf8'));
    await writeFile(
      join(cwd, 'schema.js'),
      "import schema from 'petstore-sim/schema.json' with { type: 'json' }; console.log(JSON.stringify(schema));",
    );
    const { stdout } = await exec(process.execPath, ['--no-warnings', 'schema.js'], { cwd });
    expect(JSON.parse(stdout)).toEqual(beside);
  });
});
