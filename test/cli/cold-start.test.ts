import { once } from 'node:events';
import { statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { runCommandLine, startServer } from '../support/command-line.js';

/** Writes what is loaded to standard error, and what loads the tables of languages. */
const hook = `data:text/javascript,${encodeURIComponent(`import { writeSync } from 'node:fs'; import Module from 'node:module';
const load = Module._load;
Module._load = function (name, parent, isMain) {
  writeSync(2, '\\nloads ' + (/^[./]/.test(name) ? Module._resolveFilename(name, parent, isMain) : name) + '\\n');
  return load.call(this, name, parent, isMain);
};
for (const { prototype } of [Number, BigInt, Date]) prototype.toLocaleString = () => writeSync(2, '\\nloads languages\\n');`)}`;
const nodeFlags = ['--import', hook];

/** Loaded modules without duplicates: our files, packages and Node's own modules. */
function loadedIn(errors: string) {
  const names = [...new Set(errors.split('\n').flatMap((line) => /^loads (.*)/.exec(line)?.[1] ?? []))];
  const own = names.filter((name) => name.includes('/dist/'));
  const rest = names.filter((name) => !name.startsWith('/'));
  return {
    files: own.map((file) => file.replace(/.*\/dist\//, '')).sort(),
    bytes: own.reduce((sum, file) => sum + statSync(file).size, 0),
    builtins: rest.filter((name) => name.startsWith('node:')).sort(),
    // Without modules that packages load from themselves or from Node.
    packages: rest.filter((name) => /^(?:express|yaml|cross-spawn|msw|ws|ioredis)(?:\/|$)/.test(name)),
    languages: rest.includes('languages'),
  };
}

/** Starts a server that reports its loaded modules. */
async function startTold(...flags: string[]) {
  const { child, baseUrl, errors } = await startServer(flags, { nodeFlags });
  const get = async (path: string) => {
    const headers = { authorization: 'Bearer free-key' };
    const response = await fetch(new URL(path, baseUrl), { headers });
    return [response.status, await response.text()] as const;
  };
  /** Modules loaded until now. Ends the server, because its standard error is complete only then. */
  const loaded = async () => {
    child.kill('SIGKILL');
    await once(child, 'close');
    return loadedIn(errors());
  };
  return { get, loaded };
}

describe('until its first response a plain server loads', () => {
  test('three files of ours, no package, and nothing of Node that it can do without', async () => {
    const { get, loaded } = await startTold();
    expect(await get('/v1/pets')).toEqual([200, expect.stringContaining('"available"')]);
    const { files, builtins, packages, languages, bytes } = await loaded();
    // Only code that is not common to all commands is in separate files; there were 128 files before bundling.
    expect(files).toEqual(['cjs/chunks/rolldown-runtime.cjs', 'cjs/chunks/serve.cjs', 'cli/main.cjs']);
    expect(packages).toEqual([]);
    // Node has loaded its timers before it loads us, and node:http loads node:net.
    expect(builtins).toEqual(['node:fs', 'node:http', 'node:net', 'node:path', 'node:timers', 'node:util']);
    // 366,000 of 1,200,000 in all: half a millisecond for each 20,000. The help of a command is up to 1,300, reading the
    // waits of other services, which the log shows, 14,000, reading keys in any place 10,000, and words of a service 4,000.
    expect(bytes).toBeLessThan(376_000);
    // 16 ms, for the commas in a number.
    expect(languages).toBe(false);
  });
});

test('--version loads one file of ours, and neither node:http nor a command', async () => {
  const { code, out, err } = await runCommandLine(['--version'], { nodeFlags });
  expect([code, out]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
  const { files, builtins } = loadedIn(err);
  expect(files).toEqual(['cli/main.cjs']);
  expect(builtins).toEqual(['node:fs', 'node:path']);
});

test('exec starts the client before it loads the judge and the reports', async () => {
  const { code, err } = await runCommandLine(['exec', '--', process.execPath, '-e', 'console.error("loads client")'], {
    nodeFlags,
  });
  expect(code).toBe(0);
  const [before = '', after = ''] = err.split('loads client');
  expect(loadedIn(before).files).toEqual([
    'cjs/chunks/exec.cjs',
    'cjs/chunks/rolldown-runtime.cjs',
    'cjs/chunks/serve.cjs',
    'cli/main.cjs',
  ]);
  expect(loadedIn(before).bytes).toBeLessThan(397_000);
  expect(loadedIn(before).packages).toEqual([]);
  expect(loadedIn(before).languages).toBe(false);
  expect(loadedIn(after).files).toEqual(
    expect.arrayContaining(['cjs/chunks/judge.cjs', 'cjs/chunks/verdict-reports.cjs']),
  );
});

test('the first control request loads Express, but not YAML', async () => {
  const { get, loaded } = await startTold();
  expect((await get('/__sim/clock'))[0]).toBe(200);
  expect((await loaded()).packages).toEqual(['express']);
});

test('a value on the command line loads only YAML', async () => {
  const { get, loaded } = await startTold('--set', 'limits=off');
  expect((await get('/v1/pets'))[0]).toBe(200);
  expect((await loaded()).packages).toEqual(['yaml']);
});
