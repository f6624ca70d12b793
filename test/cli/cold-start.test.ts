import { expect, test } from 'vitest';
import { startServer } from '../support/command-line.js';

/** Prints the address of every module that is loaded, and what loads the tables of languages. */
const loader = `import { writeSync } from 'node:fs';
export async function load(url, context, next) { writeSync(2, url + '\\n'); return next(url, context); }`;
const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
const hook = asUrl(`import { writeSync } from 'node:fs'; import { register } from 'node:module';
register(${JSON.stringify(asUrl(loader))});
for (const { prototype } of [Number, BigInt, Date]) prototype.toLocaleString = () => writeSync(2, 'languages\\n');`);

/** A server that writes what it loads to standard error. */
async function startTold(...flags: string[]) {
  const { baseUrl, errors } = await startServer(flags, { nodeFlags: ['--import', hook] });
  const get = async (path: string) => {
    const headers = { authorization: 'Bearer free-key' };
    const response = await fetch(new URL(path, baseUrl), { headers });
    return [response.status, await response.text()] as const;
  };
  return { get, loaded: () => errors().trim().split('\n') };
}

const packages = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/;

test('a plain server loads no package, and few files, until its first answer', async () => {
  const { get, loaded } = await startTold();
  expect(await get('/v1/pets')).toEqual([200, expect.stringContaining('"available"')]);
  expect(loaded().filter((url) => packages.test(url))).toEqual([]);
  expect(loaded()).toContainEqual(expect.stringContaining('/dist/cli/main.js'));
  // 26 files of ours when written, most of them what commands share; 128 before the command line was bundled.
  expect(loaded().filter((url) => url.includes('/dist/')).length).toBeLessThan(30);
  for (const name of ['node:crypto', 'node:child_process', 'node:os']) expect(loaded()).not.toContain(name);
  // 16 ms, for the commas in a number.
  expect(loaded()).not.toContain('languages');
});

test('the first control request brings Express and faker along, and no YAML', async () => {
  const { get, loaded } = await startTold();
  expect((await get('/__sim/clock'))[0]).toBe(200);
  const names = new Set(loaded().flatMap((url) => packages.exec(url)?.[1] ?? []));
  expect([...names]).toEqual(expect.arrayContaining(['express', '@faker-js/faker']));
  expect([...names]).not.toContain('yaml');
});

test('a value on the command line brings YAML along, and nothing else', async () => {
  const { get, loaded } = await startTold('--set', 'limits=off');
  expect((await get('/v1/pets'))[0]).toBe(200);
  expect(new Set(loaded().flatMap((url) => packages.exec(url)?.[1] ?? []))).toEqual(new Set(['yaml']));
});
