import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { nodeBinary } from '../../scripts/fetched-package.mjs';
import { createSimulator } from '../../src/entries/index.js';
import { readHandlers } from '../../src/own-routes/node/handlers-file.js';
import { runCommandLine } from '../support/command-here.js';
import { runCommandLine as runProcess, startServer } from '../support/command-line.js';
import { openServer } from '../support/open-server.js';
import { copyPackage, type PackageCopy } from '../support/package-copy.js';

const middleware = '@mswjs/http-middleware';
const installed = join(import.meta.dirname, '../../node_modules', middleware);

let project: PackageCopy;
beforeAll(async () => {
  project = await copyPackage({ msw: 2, packages: [middleware] });
}, 60_000);

const main = 'node_modules/petstore-sim/dist/cli/main.cjs';

/** Starts the command line with a handlers file that contains `text`. */
async function serve(file: string, text: string, node = process.execPath) {
  await writeFile(join(project.folder, file), text);
  return startServer(['--handlers', file], { cwd: project.folder, main, node });
}

/** A server in this process with a handlers file that contains `text`. */
async function mount(file: string, text: string): Promise<string> {
  const path = join(project.folder, file);
  await writeFile(path, text);
  return (await openServer(createSimulator(), await readHandlers(path, '/v1'))).baseUrl;
}

/** Runs the command until exit with a handlers file that contains `text`. Its name is new, because this process keeps modules. */
async function fail(file: string, text: string | undefined) {
  if (text !== undefined) await writeFile(join(project.folder, file), text);
  return runCommandLine(['--port', '0', '--log', 'json', '--handlers', file], { cwd: project.folder });
}

/** The same with a package and a Node of its own. */
async function failInProcess(file: string, text: string, { folder }: PackageCopy = project) {
  await writeFile(join(folder, file), text);
  return runProcess(['--port', '0', '--log', 'json', '--handlers', file], { cwd: folder, main });
}

const imports = "import { HttpResponse, http } from 'msw';";
const ownHandler = "http.get('*/v1/own', () => HttpResponse.text('own'))";

describe('--handlers FILE', () => {
  test.each([
    ['an array', 'array.js', `export const handlers = [${ownHandler}];`],
    ['a function', 'function.mjs', `export const handlers = () => [${ownHandler}];`],
    ['an async function', 'async.mjs', `export async function handlers() { await 0; return [${ownHandler}]; }`],
  ])('mounts the handlers of %s', async (_name, file, text) => {
    const baseUrl = await mount(file, `${imports}\n${text}`);
    expect(await (await fetch(`${baseUrl}/own`)).text()).toBe('own');
    expect((await fetch(`${baseUrl}/pets`)).status).toBe(401);
  });

  test('passes the simulator to a function', async () => {
    const text = `${imports} export const handlers = (sim) => [http.get('*/v1/count', () => HttpResponse.json(sim.pets.size))];`;
    const baseUrl = await mount('sim.mjs', text);
    expect(await (await fetch(`${baseUrl}/count`)).json()).toBe(40);
  });

  test('logs requests to handlers and the stack of a thrown error, and continues to serve', async () => {
    const text = `${imports} export const handlers = [${ownHandler}, http.get('*/v1/broken', () => { throw new Error('boom'); })];`;
    const { baseUrl, nextEvent, errors } = await serve('log.mjs', text);
    expect((await fetch(`${baseUrl}/broken`)).status).toBe(500);
    expect(await nextEvent()).toMatchObject({ event: 'request', method: 'GET', target: '/v1/broken', status: 500 });
    await expect.poll(errors).toMatch(/Error: boom\n +at .*log\.mjs/);
    expect((await fetch(`${baseUrl}/own`)).status).toBe(200);
    expect(await nextEvent()).toMatchObject({ target: '/v1/own', status: 200 });
  });

  test('accepts the file in docs/extending.md', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/extending.md'), 'utf8');
    const text = /```js\n((?:(?!```).)*?export const handlers .*?)```/s.exec(page)?.[1] ?? '';
    const { baseUrl } = await serve('shown.mjs', text);
    const call = async (method: string, body?: string) => {
      const headers = { authorization: 'Bearer free-key' };
      const response = await fetch(`${baseUrl}/pets/1`, { method, headers, ...(body !== undefined && { body }) });
      const { status = 'none' } = method === 'PATCH' ? ((await response.json()) as { status?: unknown }) : {};
      return [response.status, response.headers.get('x-ratelimit-remaining'), status];
    };
    expect(await call('PATCH', '{"status":"sold"}')).toEqual([200, '59', 'sold']);
    expect(await call('PATCH', '{"status":"lost"}')).toEqual([400, '58', 400]);
    expect([await call('DELETE'), await call('DELETE'), await call('GET')]).toEqual([
      [204, '57', 'none'],
      [404, '56', 'none'],
      [404, '55', 'none'],
    ]);
    expect(await call('PATCH', '{"status":"sold"}')).toEqual([404, '54', 404]);
  });

  test('accepts a TypeScript file on Node 24', { tags: 'extended', timeout: 180_000 }, async () => {
    const node = await nodeBinary(24);
    const text = `${imports} const handlers: object[] = [${ownHandler}]; export { handlers };`;
    const { baseUrl } = await serve('typed.ts', text, node);
    expect(await (await fetch(`${baseUrl}/own`)).text()).toBe('own');
  });

  test('adds its operations to those that check accepts in a scenario', async () => {
    const own = join(import.meta.dirname, '../../src/entries/msw.ts');
    const text = `${imports} import { guarded } from '${own}';
      export const handlers = (sim) => [http.get('*/v1/own', guarded(sim, 'listOwn', () => HttpResponse.text('own')))];`;
    await writeFile(join(project.folder, 'guarded.mjs'), text);
    const rule = (operation: string) => `faults: [{ when: { operation: ${operation} }, then: { reset: true } }]\n`;
    await writeFile(join(project.folder, 'own.yaml'), rule('listOwn'));
    await writeFile(join(project.folder, 'misspelt.yaml'), rule('lstOwn'));
    const check = (...args: string[]) => runCommandLine(['check', ...args], { cwd: project.folder });
    expect(await check('own.yaml', '--handlers', 'guarded.mjs')).toEqual({ code: 0, out: 'own.yaml: ok\n', err: '' });
    const { code, err } = await check('misspelt.yaml', '--handlers', 'guarded.mjs');
    expect(err).toMatch(/^misspelt\.yaml:1:31: faults\[0\]\.when\.operation: .*; did you mean listOwn\?\n$/);
    expect(code).toBe(2);
    expect(await check('own.yaml')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/\npetstore-sim: for operations of your own routes, pass --handlers FILE\n$/),
    });
    const { out } = await check('--json', 'misspelt.yaml', '--handlers', 'guarded.mjs');
    expect(JSON.parse(out).next).toEqual(['npx petstore-sim check --json misspelt.yaml --handlers guarded.mjs']);
  });

  const mistakes: [name: string, file: string, text: string | undefined, message: RegExp][] = [
    [
      'no file',
      'nowhere.js',
      undefined,
      /^petstore-sim: expected --handlers to be a file, found none at .*nowhere\.js\n$/,
    ],
    [
      'no export',
      'none.js',
      'export const x = 1;',
      /^petstore-sim: expected none\.js to export handlers: .*, found none\n$/,
    ],
    ['an export that is not a list', 'seven.js', 'export const handlers = 7;', /, found a value of type number\n$/],
    [
      'an element that is not a handler',
      'mixed.js',
      `${imports} export const handlers = [${ownHandler}, () => {}];`,
      /, found an array whose element 1 is not a handler\n$/,
    ],
    [
      'a package that is not installed',
      'missing.js',
      "import 'not-there';",
      /^petstore-sim: failed to load missing\.js: Cannot find package 'not-there' imported from .*\n$/,
    ],
    [
      'a function that throws',
      'throws.mjs',
      "export const handlers = () => { throw new Error('boom'); };",
      /^petstore-sim: failed to load throws\.mjs: Error: boom\n +at handlers \(.*throws\.mjs:1/,
    ],
  ];
  test.each(mistakes)('exits with code 2 and an explanation for %s', async (_name, file, text, message) => {
    const { code, out, err } = await fail(file, text);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([2, '']);
  });

  test('explains a mistake in the syntax', { tags: 'extended' }, async () => {
    const { code, err } = await failInProcess('syntax.mjs', 'export const handlers = [;');
    expect(err).toMatch(/^petstore-sim: failed to load syntax\.mjs: .*SyntaxError: Unexpected token ';'/s);
    expect(code).toBe(2);
  });

  test.skipIf(Number(process.versions.node.split('.')[0]) > 20)(
    'explains that Node 20 does not support a TypeScript file',
    async () => {
      const { code, err } = await failInProcess('typed-20.ts', 'export const handlers: object[] = [];');
      expect(err).toMatch(
        /^petstore-sim: expected --handlers to be a \.js or \.mjs file, or on Node 22\.18 or later a \.ts file, got typed-20\.ts on Node 20\.[0-9.]+\n$/,
      );
      expect(code).toBe(2);
    },
  );
});

describe('--handlers FILE without a required package', () => {
  const remedy = 'run "npm install --save-dev msw@2 @mswjs/http-middleware"';
  let other: PackageCopy;
  beforeAll(async () => {
    other = await copyPackage({ msw: 3 });
  }, 60_000);

  const text = `${imports} export const handlers = [${ownHandler}];`;

  test('prints the install command in one line if http-middleware is missing', async () => {
    expect(await failInProcess('own.mjs', text, other)).toEqual({
      code: 2,
      out: '',
      err: `petstore-sim: expected @mswjs/http-middleware, which handlers need, to be installed; ${remedy}\n`,
    });
  });

  test('prints the install command in one line if msw 3 is installed', async () => {
    const copy = join(other.folder, 'node_modules', middleware);
    await cp(installed, copy, { recursive: true });
    const { code, err } = await failInProcess('own.mjs', text, other);
    expect(err).toMatch(
      /^petstore-sim: expected msw 2 to be installed, which @mswjs\/http-middleware needs, found 3\.[0-9.]+; run .*\n$/,
    );
    expect(err).toContain(remedy);
    expect(code).toBe(2);
    await rm(copy, { recursive: true });
  });
});

describe('the export openapi', () => {
  let files = 0;
  test.each([
    ['[]', / openapi-1\.mjs to export openapi as an object with paths and components, as in OpenAPI\n$/],
    ["{ paths: { '/own': 'GET' } }", /as an object with paths and components/],
    ['{ components: { schemas: 1 } }', /as an object with paths and components/],
    ["{ paths: { '/v1/own': {} } }", /relative to \/v1, such as \/categories, got "\/v1\/own"/],
    ['{ paths: { own: {} } }', /relative to \/v1, such as \/categories, got "own"/],
  ])('is rejected if it is %s', async (openapi, message) => {
    const text = `${imports} export const handlers = [${ownHandler}]; export const openapi = ${openapi};`;
    const { code, err } = await fail(`openapi-${++files}.mjs`, text);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
    expect(err).toMatch(/^petstore-sim: .*\n$/);
  });

  test('can replace the description of an API route, but no component of the API', async () => {
    const description = `{
      paths: { '/pets': { get: { operationId: 'listOwnPets', responses: {} } } },
      components: { schemas: { Error: { type: 'null' }, Own: { type: 'string' } } },
    }`;
    const text = `${imports} export const handlers = [${ownHandler}]; export const openapi = ${description};`;
    const baseUrl = await mount('openapi.mjs', text);
    const { paths, components } = (await (await fetch(new URL('/__sim/service.json', baseUrl))).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
      components: { schemas: Record<string, { type: string }> };
    };
    expect([paths['/pets']?.get?.operationId, paths['/pets']?.post?.operationId]).toEqual(['listOwnPets', 'createPet']);
    expect([components.schemas.Error?.type, components.schemas.Own?.type]).toEqual(['object', 'string']);
  });
});
