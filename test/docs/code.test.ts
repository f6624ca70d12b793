import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { bundle, imports } from '../../bench/bundle.mjs';
import { createSimulator } from '../../src/entries/index.js';
import { listen } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import { readShippedScenarios } from '../../src/scenario-files/shipped-scenarios.js';
import { chromiumArguments, chromiumPath } from '../support/chromium.js';
import { blocksIn, type CodeBlock, isOfClients, root, userPage } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';

const exec = promisify(execFile);

/** Runner of a code block. */
type Kind =
  | 'setup'
  | 'jest'
  | 'node:test'
  | 'vitest'
  | 'playwright'
  | 'page'
  | 'config'
  | 'client'
  | 'handlers'
  | 'script';

function kindOf({ text, saveAs }: CodeBlock): Kind {
  if (/\b(?:provide|inject)\(/.test(text)) return 'setup';
  if (/from '(petstore-sim\/)?vitest'/.test(text)) return 'vitest';
  if (/petstore-sim\/jest|module\.exports/.test(text)) return 'jest';
  if (text.includes("from 'petstore-sim/node-test'")) return 'node:test';
  if (text.includes('defineConfig')) return 'config';
  if (text.includes("from 'petstore-sim/playwright'")) return 'playwright';
  if (text.includes("from 'msw/browser'")) return 'page';
  if (text.includes('export const handlers')) return 'handlers';
  return saveAs === undefined ? 'script' : 'client';
}

// `npm run clients` runs the blocks of the pages that it writes; test/clients/matrix.test.ts runs some again.
const blocks = blocksIn('ts', 'js')
  .filter(({ page }) => !isOfClients(page))
  .map((block, index) => ({ ...block, index, kind: kindOf(block), file: fileOf(block, index) }));
const ofKind = (...kinds: Kind[]) => blocks.filter(({ kind }) => kinds.includes(kind));

/** A file name that its runner finds: `block-3.test.ts`. */
function fileOf(block: CodeBlock, index: number): string {
  const infix = { vitest: '.test', playwright: '.spec' }[kindOf(block) as string] ?? '';
  return `block-${index}${infix}.${block.language}`;
}

/** A project that has the package, as the build of `npm test` has made it. */
const folder = newFolder();
const write = async (file: string, text: string) => {
  await mkdir(dirname(join(folder, file)), { recursive: true });
  await writeFile(join(folder, file), text);
};

beforeAll(async () => {
  const installed = ['vitest', '@playwright/test', 'msw', '@types/node'].map((name) => [name, `node_modules/${name}`]);
  for (const [name, path] of [['petstore-sim', '.'], ...installed] as [string, string][]) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(root, path), link);
  }
  await write('package.json', '{ "private": true, "type": "module" }');
  for (const file of ['petstore.ts', 'send.ts']) {
    await copyFile(join(root, 'examples/vitest-client/src', file), join(folder, file));
  }
  for (const { file, text } of blocks) await write(file, text);
});

test('the pages show every way to use the package', () => {
  const kinds: Kind[] = ['jest', 'node:test', 'vitest', 'playwright', 'page', 'config', 'client', 'handlers', 'script'];
  for (const kind of kinds) expect(ofKind(kind), kind).not.toHaveLength(0);
});

test('TypeScript accepts every block', async () => {
  const compilerOptions = { target: 'ES2023', module: 'ESNext', moduleResolution: 'Bundler', strict: true };
  const more = { types: ['node'], skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true };
  const files = blocks.filter(({ language, kind }) => language === 'ts' && kind !== 'jest').map(({ file }) => file);
  // Each block is a module, with or without an import.
  const forced = { moduleDetection: 'force' };
  await write('tsconfig.json', JSON.stringify({ compilerOptions: { ...compilerOptions, ...more, ...forced }, files }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await exec(process.execPath, [tsc, '--project', folder]).catch((error) => error);
  expect(withPlaces(stdout)).toBe('');
});

const linesOf = (text: string) => text.split('\n').map((line) => line.trim());

const components = blocksIn('tsx');

test('the pages show a component, and test one', () => expect(components).toHaveLength(2));

/** Files of examples that the documentation shows. */
const shownFiles = [
  'jest/jest.config.js',
  'jest/test/client.test.ts',
  'ts-jest/jest.config.js',
  'ts-jest/test/pet-list.test.tsx',
  'react/test/app.test.tsx',
  'react/src/quota-notice.tsx',
];

test.each([...ofKind('jest'), ...components])('an example that runs contains the lines of $place', ({ text }) => {
  const known = shownFiles.map((file) => linesOf(readFileSync(join(root, 'examples', file), 'utf8')));
  expect(known.map((lines) => linesOf(text).filter((line) => !lines.includes(line)))).toContainEqual([]);
});

test.concurrent('the Vitest tests pass as printed, and the global setup serves a sandbox to each test file', {
  timeout: 240_000,
}, async () => {
  const files = ofKind('vitest').map(({ file }) => file);
  const [setup, test] = ofKind('setup');
  await write('test-a/own.test.js', test?.text ?? '');
  await write('test-b/own.test.js', test?.text ?? '');
  // Vitest's 5 s and 10 s are too few on a machine under load.
  const timeouts = { testTimeout: 120_000, hookTimeout: 120_000 };
  const projects = [
    { test: { name: 'blocks', include: files, isolate: false, ...timeouts } },
    { test: { name: 'setup', globalSetup: `./${setup?.file}`, include: ['test-*/*'], ...timeouts } },
  ];
  await write('two.config.js', `export default ${JSON.stringify({ test: { projects } })};`);
  const run = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', 'two.config.js', '--reporter', 'json'];
  const { stdout } = await exec(process.execPath, run, { cwd: folder }).catch((error) => error);
  const report = JSON.parse(stdout.slice(stdout.indexOf('{')));
  expect(report, withPlaces(stdout)).toMatchObject({ numPassedTests: files.length + 2, numFailedTests: 0 });
});

test('the tests of node:test pass as printed', async () => {
  const files = ofKind('node:test').map(({ file }) => file);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = await exec(process.execPath, ['--test', ...files], { cwd: folder, env }).catch((error) => error);
  expect(stdout).toMatch(new RegExp(`^# pass ${files.length}\n# fail 0$`, 'm'));
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

test.concurrent('the Playwright tests pass as printed', { tags: 'needs/chromium' }, async () => {
  const site = createServer((_request, response) => response.setHeader('Content-Type', 'text/html').end(page));
  await once(site.listen(0, '127.0.0.1'), 'listening');
  const server = await listen(createSimulator(), { port: 0 });
  try {
    const baseURL = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const use = { baseURL, launchOptions: { executablePath: chromiumPath, args: chromiumArguments } };
    // Playwright's 30 s and 5 s are too few on a machine under load.
    const timeouts = { timeout: 120_000, expect: { timeout: 60_000 } };
    await write('playwright.config.ts', `export default ${JSON.stringify({ use, ...timeouts })};`);
    const cli = join(root, 'node_modules/@playwright/test/cli.js');
    const env = { ...process.env, PETSTORE_SIM_URL: server.controlUrl };
    const files = ofKind('playwright').map(({ file }) => file);
    const run = [cli, 'test', '--reporter', 'json', ...files];
    const { stdout } = await exec(process.execPath, run, { cwd: folder, env }).catch((error) => error);
    expect(JSON.parse(stdout).stats, stdout).toMatchObject({ expected: files.length, unexpected: 0 });
  } finally {
    await server.close();
    site.close();
  }
});

describe.concurrent('the scripts print the comments after console.log', () => {
  test.each(ofKind('script'))('$place', async ({ text, file, index }) => {
    const sim = createSimulator({ generatePets, scenarios: readShippedScenarios });
    const server = await listen(sim, { port: 0 });
    try {
      const outfile = join(folder, `script-${index}.mjs`);
      // A copy that talks to the server of this test.
      const local = text.replaceAll('http://127.0.0.1:4010', server.baseUrl.replace('/v1', ''));
      await write(`local-${file}`, local);
      const entryPoints = [join(folder, `local-${file}`)];
      await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
      const { stdout } = await exec(process.execPath, [outfile], { cwd: folder });
      const comments = [...text.matchAll(/^ *console\.log\(.*\); \/\/ (.*)$/gm)].map(([, comment]) => comment);
      expect(comments, 'what it prints').not.toHaveLength(0);
      expect(stdout.trim().split('\n')).toEqual(comments);
    } finally {
      await server.close();
    }
  });
});

test('blocks for a page bundle for browsers', async () => {
  for (const { file } of ofKind('page')) {
    const entryPoints = [join(folder, file)];
    const { outputFiles } = await build({
      entryPoints,
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
    });
    expect(outputFiles[0]?.text).toContain('mockServiceWorker.js');
  }
});

test('each entry adds the documented size to a page', async () => {
  const { text } = userPage('docs/browser.md');
  const [, page, judge, control] =
    /adds? about (\d+) kB to the page.*`judge`.*adds another (\d+) kB.*`createControl`.*?(\d+) kB/s.exec(text) ?? [];
  const measured = async (more = '') => (await bundle(`${imports.pages} ${more}`)).gzipBytes / 1000;
  const base = await measured();
  const isAbout = (said: string | undefined, kilobytes: number) =>
    expect(Math.abs(kilobytes - Number(said)), `said ${said} kB, measured ${kilobytes}`).toBeLessThanOrEqual(1.5);
  isAbout(page, base);
  isAbout(judge, (await measured("export { judge } from './entries/verdict.js';")) - base);
  isAbout(control, (await measured("export { createControl } from './entries/control.js';")) - base);
});

test('transcripts and test/own-routes run the clients and the handlers', async () => {
  const names = ofKind('client').map(({ saveAs }) => saveAs as string);
  const transcripts = blocksIn('console').map(({ text }) => text);
  for (const name of names)
    expect(
      transcripts.some((text) => text.includes(`node ${name}`) || text.includes(`--handlers ${name}`)),
      name,
    ).toBe(true);
  const run = await readFile(join(root, 'test/own-routes/handlers-file.test.ts'), 'utf8');
  expect(run).toContain(ofKind('handlers')[0]?.page.path);
  expect(ofKind('handlers')).toHaveLength(1);
});

/** Replaces file names in the output of a tool by places in the documentation. */
const withPlaces = (text: string) =>
  blocks.reduce((shown, { file, place }) => shown.replaceAll(file, `${file} (${place})`), text);
