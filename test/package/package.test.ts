import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url).pathname;
const tsc = join(root, 'node_modules/typescript/bin/tsc');
const exec = promisify(execFile);
let folder: string;
let tarball: string;
let files: string[];

// The tarball is packed from the build that `npm test` has just made, and its dependencies come from the registry.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-package-'));
  const { stdout } = await exec('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: root,
  });
  // npm 11 answers with a list, later ones with a map by package name.
  const [packed] = Object.values(JSON.parse(stdout)) as { filename: string; files: { path: string }[] }[];
  tarball = join(folder, packed?.filename ?? '');
  files = packed?.files.map(({ path }) => path) ?? [];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package holds the build, the data and the words, and nothing else', () => {
  const allowed =
    /^(dist\/.+\.(js|d\.ts)|fixtures\/.+\.json|scenarios\/.+\.(yaml|md)|dist\/(schema|scenarios\/.+)\.json|schema\.json|docs\/.+\.(md|svg)|examples\/clients\/[^/]+|(README|CHANGELOG)\.md|LICENSE|package\.json)$/;
  expect(files.filter((file) => !allowed.test(file))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(['dist/index.js', 'dist/msw.js', 'dist/seed.js', 'dist/cli/main.js']));
});

test('npx runs the package in an empty folder, and it answers', { timeout: 180_000 }, async () => {
  const cwd = await mkdtemp(join(folder, 'empty-'));
  const child = spawn('npx', ['--yes', `--package=${tarball}`, 'petstore-sim', '--port', '0', '--log', 'json'], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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

/** A project that has the package and msw installed; one for all tests. */
let installed: Promise<string> | undefined;
function consumer(): Promise<string> {
  installed ??= (async () => {
    const cwd = await mkdtemp(join(folder, 'consumer-'));
    const { devDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    await writeFile(join(cwd, 'package.json'), '{"private":true,"type":"module"}');
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', tarball, `msw@${devDependencies.msw}`];
    await exec('npm', install, { cwd });
    return cwd;
  })();
  return installed;
}

test('every entry can be imported from an installed package, and the wrong one fails at resolution', {
  timeout: 180_000,
}, async () => {
  const cwd = await consumer();
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

describe('import scenario from petstore-sim/scenarios/NAME.json', () => {
  const source = `import { createSimulator } from 'petstore-sim';
import scenario from 'petstore-sim/scenarios/near-minute-limit.json';
const sim = createSimulator({ scenario: { ...scenario, name: scenario.name + ' here' } });
console.log(sim.name, sim.keys.get('free-key').minute.remaining, createSimulator({ scenario }).name);
`;

  test.each([
    ['bundler', source],
    ['nodenext', source.replace(".json';", ".json' with { type: 'json' };")],
  ])('fits createSimulator for TypeScript with moduleResolution %s', { timeout: 180_000 }, async (resolution, text) => {
    const cwd = await consumer();
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

  test('bundles with esbuild for a page, and runs', { timeout: 180_000 }, async () => {
    const cwd = await consumer();
    const stdin = { contents: source, resolveDir: cwd };
    await build({ stdin, bundle: true, format: 'esm', platform: 'browser', outfile: join(cwd, 'page.js') });
    const { stdout } = await exec(process.execPath, ['page.js'], { cwd });
    expect(stdout).toBe('near-minute-limit here 2 near-minute-limit\n');
  });
});

test('the schema that the first line of a shipped file names is in the package, and has an entry', {
  timeout: 180_000,
}, async () => {
  const cwd = await consumer();
  const module = join(cwd, 'node_modules/petstore-sim');
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
