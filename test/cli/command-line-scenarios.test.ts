import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { assumptions } from '../../src/petstore/assumptions.js';
import { runCommandLine } from '../support/command-here.js';
import { runCommandLine as runProcess, startCommandLine, startServer } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

const root = join(import.meta.dirname, '../..');
const shipped = readdirSync(join(root, 'scenarios'))
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => file.replace('.yaml', ''));
const folder = newFolder();

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** Runs the command to its end, in the folder of this test. */
const run = (...args: string[]) => runCommandLine(args, { cwd: folder });

/** Starts the server in the folder, with a client. */
async function start(args: string[], nodeFlags: string[] = []) {
  const server = await startServer(args, { cwd: folder, nodeFlags });
  const { baseUrl, nextEvent } = server;
  const send = (path: string, init: RequestInit = {}, key = 'free-key') =>
    fetch(`${baseUrl}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } });
  const remaining = async (key = 'free-key') => {
    const response = await send('/pets?limit=1', {}, key);
    await nextEvent();
    return `${response.status} ${response.headers.get('x-ratelimit-remaining')}`;
  };
  return { ...server, send, remaining };
}

describe('petstore-sim scenarios', () => {
  test('lists every shipped scenario once, in groups, with its first sentence', async () => {
    const { code, out } = await run('scenarios');
    expect(code).toBe(0);
    // A long sentence continues in lines with more spaces.
    const names = [...out.matchAll(/^ {2}(\S+) +\S[^.]*(?:[.]\S[^.]*)*[.]$/gm)].map(([, name]) => name);
    expect([...names].sort()).toEqual([...shipped].sort());
    const groups = [...out.matchAll(/^\S+$/gm)].map(([group]) => group);
    expect(groups[0]).toBe('start');
    expect(groups).not.toContain('other');
    expect(new Set(groups).size).toBe(groups.length);
  });

  test('NAME > FILE gives a file that check accepts, with a schema for editors', async () => {
    const { code, out } = await run('scenarios', 'minute-wall');
    expect(code).toBe(0);
    const [schema = '', ...lines] = out.split('\n');
    const [, ...shippedLines] = readFileSync(join(root, 'scenarios/minute-wall.yaml'), 'utf8').split('\n');
    expect(lines).toEqual(shippedLines);
    const [, address = ''] = /^# yaml-language-server: \$schema=(file:.*)$/.exec(schema) ?? [];
    expect(readFileSync(fileURLToPath(address), 'utf8')).toBe(readFileSync(join(root, 'schema.json'), 'utf8'));
    write('my.yaml', out);
    expect(await run('check', 'my.yaml')).toMatchObject({ code: 0, out: 'my.yaml: ok\n' });
  });

  test('refers to the schema by a path if the package is installed below', async () => {
    const installed = join(folder, 'project/node_modules/petstore-sim');
    mkdirSync(installed, { recursive: true });
    for (const part of ['dist', 'package.json', 'schema.json']) {
      cpSync(join(root, part), join(installed, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'project/node_modules/petstore-sim/node_modules'));
    const options = { cwd: join(folder, 'project'), main: join(installed, 'dist/cli/main.cjs') };
    const { out } = await runProcess(['scenarios', 'minute-wall'], options);
    expect(out).toMatch(/^# yaml-language-server: \$schema=\.\/node_modules\/petstore-sim\/schema\.json\n/);
    const { out: said } = await runProcess(['init'], options);
    expect(said).toContain('Wrote petstore.scenario.yaml.');
    expect(readFileSync(join(options.cwd, 'petstore.scenario.yaml'), 'utf8')).toContain(
      '=./node_modules/petstore-sim/schema.json',
    );
  });
});

describe('petstore-sim check', () => {
  test('reports each valid file', async () => {
    write('a.yaml', 'seed: 1');
    write('b.json', '{"extends": "./a.yaml"}');
    expect(await run('check', 'a.yaml', 'b.json', 'minute-wall')).toEqual({
      code: 0,
      out: 'a.yaml: ok\nb.json: ok\nminute-wall: ok\n',
      err: '',
    });
  });

  test('reports every mistake in every file, and exits with 2', async () => {
    write('good.yaml', 'seed: 1');
    write('bad.yaml', 'sede: 1\nkeys:\n  a: { plan: gold }\n');
    write('worse.yaml', 'keys:\n\ta: {}\n');
    const { code, out, err } = await run('check', 'bad.yaml', 'good.yaml', './worse.yaml', 'nope.yaml');
    expect(code).toBe(2);
    expect(out).toBe('good.yaml: ok\n');
    expect(err).toBe(`bad.yaml:1:1: sede: expected a known field; did you mean seed?
bad.yaml:3:14: keys.a.plan: expected a plan (free, pro, business, enterprise), got "gold"
./worse.yaml:2:1: expected valid YAML: Tabs are not allowed as indentation; indent with spaces
nope.yaml: expected a file or a shipped scenario; npx petstore-sim scenarios lists the shipped ones
`);
  });
});

describe('petstore-sim --scenario', () => {
  test('starts with a YAML file, and shows its name and keys', async () => {
    write('two-left.yaml', 'keys:\n  free-key: { usage: { minute: 58 } }\n');
    const { remaining } = await start(['--scenario', 'two-left.yaml']);
    expect([await remaining(), await remaining(), await remaining()]).toEqual(['200 1', '200 0', '429 0']);
  });

  test('starts with a shipped scenario by name', async () => {
    const { send } = await start(['--scenario', 'empty']);
    expect(await (await send('/pets')).json()).toEqual([]);
  });

  test('prints all mistakes and does not start', async () => {
    write('bad.yaml', 'sede: 1\nlimits: { algorithm: leaky }\n');
    const { code, out, err } = await run('--scenario', 'bad.yaml');
    expect([code, out]).toEqual([2, '']);
    expect(err.split('\n')).toEqual([
      'bad.yaml:1:1: sede: expected a known field; did you mean seed?',
      'bad.yaml:2:22: limits.algorithm: expected "fixed-window", "sliding-log" or "token-bucket", got "leaky"',
      '',
    ]);
  });

  test('never loads the YAML library for a shipped scenario, which does not need it', async () => {
    const loaded = 'Object.keys(require.cache).filter((f) => /node_modules.yaml/.test(f)).length';
    write('spy.cjs', `process.on('exit', () => require('node:fs').writeSync(2, 'loaded ' + ${loaded}));`);
    for (const [args, expected] of [
      [['--scenario', 'minute-wall'], /^loaded 0$/],
      [['--set', 'seed=3'], /^loaded [1-9]/],
    ] as const) {
      const { stop, errors } = await start([...args], ['--require', join(folder, 'spy.cjs')]);
      await stop();
      expect(errors()).toMatch(expected);
    }
  });
});

describe('petstore-sim --set', () => {
  test('sets fields of the scenario in order, with values as in YAML', async () => {
    write('used.yaml', 'keys: { free-key: { usage: { minute: 60 } } }\nban: { after: 1 }');
    const sets = [
      'keys.free-key.usage.minute=10',
      'keys.free-key.usage.minute=59',
      'pets=[{ name: Nº 1, categoryId: 9223372036854775807 }]',
    ];
    const { send, remaining } = await start(['--scenario', 'used.yaml', ...sets.flatMap((set) => ['--set', set])]);
    expect(await (await send('/pets', {}, 'pro-key')).text()).toBe(
      '[{"id":1,"name":"Nº 1","categoryId":9223372036854775807,"status":"available"}]',
    );
    expect(await remaining()).toBe('200 0');
  });

  test('sets fields of the default scenario and of keys with a dot', async () => {
    const sets = ['pets[0].name=Max', 'keys["a.b"]={ plan: pro }', 'limits=off'];
    const { send } = await start(sets.flatMap((set) => ['--set', set]));
    expect(await (await send('/pets/1', {}, 'a.b')).json()).toMatchObject({ name: 'Max' });
  });

  test.each([
    ['ban.seconds', 'petstore-sim: expected --set PATH=VALUE, such as --set ban.for=5s, got "ban.seconds"'],
    ['=5', 'petstore-sim: expected --set PATH=VALUE'],
    ['a..b=5', 'petstore-sim: expected --set PATH=VALUE'],
    ['seed=[', 'petstore-sim: --set seed=[: expected'],
    ['ban.secnds=5', '--set ban.secnds=5: ban.secnds: expected a known field; did you mean seconds?'],
    ['keys.x.plan=gold', '--set keys.x.plan=gold: keys.x.plan: expected a plan'],
    ['seed.x=4', '--set seed.x=4: seed: expected a number, got a map'],
    ['limits.algorithm.x=4', '--set limits.algorithm.x=4: limits.algorithm: expected'],
    ['__proto__.x=4', '--set __proto__.x=4: __proto__: expected a known field'],
  ])('%s is a mistake that names the flag', async (set, message) => {
    const { code, out, err } = await run('--set', set);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('preserves the line and column of mistakes in the file', async () => {
    write('bad.yaml', 'sede: 1');
    const { err } = await run(
      '--scenario',
      'bad.yaml',
      '--seed',
      '4',
      '--no-limits',
      '--set',
      'assumptions.limitsApply=all',
    );
    expect(err.split('\n').slice(0, 1)).toEqual(['bad.yaml:1:1: sede: expected a known field; did you mean seed?']);
    expect(err).toContain('--set assumptions.limitsApply=all: assumptions.limitsApply: expected the same value as in');
  });
});

describe('petstore-sim --watch', () => {
  const first = 'keys: { free-key: { usage: { minute: 10 } } }\npets: [{ id: 1, name: A, categoryId: 1 }]\n';

  test('applies keys, limits and faults on save, prints the changes, and keeps the pets', async () => {
    write('live.yaml', first);
    const { nextEvent, send, remaining } = await start(['--scenario', 'live.yaml', '--watch']);
    expect(await remaining()).toBe('200 49');
    write(
      'live.yaml',
      `${first.replace('10', '20').replace('name: A', 'name: B')}limits: { windowStart: clock }\nfaults: [{ name: down, when: { operation: getPet }, then: { respond: { status: 503 } } }]\n`,
    );
    expect(await nextEvent()).toEqual({
      event: 'reloaded',
      file: 'live.yaml',
      changes: ['keys.free-key.usage', 'pets (1 changed)', 'limits', 'faults (1 added)'],
      waiting: ['pets (1 changed)'],
    });
    expect(await remaining()).toBe('200 39');
    expect(await (await send('/pets')).json()).toMatchObject([{ name: 'A' }]);
    await nextEvent();
    expect((await send('/pets/1')).status).toBe(503);
  });

  test('loads the pets of the file too with --reseed', async () => {
    write('reseed.yaml', first);
    const { nextEvent, send } = await start(['--scenario', 'reseed.yaml', '--watch', '--reseed']);
    write('reseed.yaml', first.replace('name: A', 'name: B'));
    expect(await nextEvent()).toMatchObject({ event: 'reloaded', changes: ['pets (1 changed)'], waiting: [] });
    expect(await (await send('/pets')).json()).toMatchObject([{ name: 'B' }]);
  });

  test('detects a file that an editor has replaced, repeatedly', async () => {
    write('swap.yaml', first);
    const { nextEvent, remaining } = await start(['--scenario', 'swap.yaml', '--watch']);
    for (const used of ['20', '30', '40']) {
      write('swap.yaml.tmp', first.replace('10', used));
      renameSync(join(folder, 'swap.yaml.tmp'), join(folder, 'swap.yaml'));
      expect(await nextEvent()).toMatchObject({ event: 'reloaded', changes: ['keys.free-key.usage'] });
      expect(await remaining()).toBe(`200 ${59 - Number(used)}`);
    }
  });

  test('prints the mistakes of an invalid file, and keeps the loaded scenario', async () => {
    write('break.yaml', first);
    const { nextEvent, remaining } = await start(['--scenario', 'break.yaml', '--watch']);
    expect(await remaining()).toBe('200 49');
    write('break.yaml', first.replace('usage', 'usgae'));
    expect(await nextEvent()).toEqual({
      event: 'reload-failed',
      file: 'break.yaml',
      issues: [
        {
          file: 'break.yaml',
          line: 1,
          column: 21,
          path: 'keys.free-key.usgae',
          message: 'expected a known field; did you mean usage?',
        },
      ],
    });
    expect(await remaining()).toBe('200 48');
    write('break.yaml', 'keys:\n\tfree-key: {}');
    expect(await nextEvent()).toMatchObject({ event: 'reload-failed', issues: [{ line: 2, column: 1 }] });
    write('break.yaml', first);
    expect(await nextEvent()).toMatchObject({ event: 'reloaded', changes: [] });
    expect(await remaining()).toBe('200 47');
    rmSync(join(folder, 'break.yaml'));
    const gone = {
      event: 'reload-failed',
      issues: [{ message: 'expected a file or a shipped scenario; npx petstore-sim scenarios lists the shipped ones' }],
    };
    expect(await nextEvent()).toMatchObject(gone);
    expect(await remaining()).toBe('200 46');
    write('break.yaml', '');
    write('break.yaml', first);
    expect(await nextEvent()).toMatchObject({ event: 'reloaded', changes: [] });
    expect(await remaining()).toBe('200 45');
  });

  test('watches base files, and continues after they were invalid', async () => {
    write('base.yaml', 'keys: { free-key: { usage: { minute: 10 } } }');
    write('child.yaml', 'extends: ./base.yaml\npets: { file: pets.json }');
    write('pets.json', '[]');
    const { nextEvent, remaining } = await start(['--scenario', 'child.yaml', '--watch', '--reseed']);
    write('base.yaml', 'keys: { free-key: { usage: { minute: 99 } } }');
    expect(await nextEvent()).toMatchObject({
      event: 'reload-failed',
      issues: [{ file: 'base.yaml', line: 1, column: 38 }],
    });
    write('base.yaml', 'keys: { free-key: { usage: { minute: 50 } } }');
    expect(await nextEvent()).toMatchObject({ event: 'reloaded', changes: ['keys.free-key.usage'] });
    expect(await remaining()).toBe('200 9');
    write('pets.json', '[{ "name": "New", "categoryId": 1 }]');
    expect(await nextEvent()).toMatchObject({ event: 'reloaded', changes: ['pets (1 added)'] });
  });

  test('keeps values of --set, and can start to generate pets', async () => {
    write('set.yaml', first);
    const args = ['--scenario', 'set.yaml', '--watch', '--reseed', '--set', 'keys.free-key.usage.minute=30'];
    const { nextEvent, remaining, send } = await start(args);
    write('set.yaml', 'keys: { free-key: { usage: { minute: 40 } } }\npets: { generate: { sold: 5 } }');
    expect(await nextEvent()).toMatchObject({ event: 'reloaded', changes: ['pets (1 removed)'] });
    expect(await remaining()).toBe('200 29');
    expect(await (await send('/pets?status=sold')).json()).toHaveLength(5);
  });

  test('prints readable messages', async () => {
    write('words.yaml', first);
    const command = ['--port', '0', '--scenario', 'words.yaml', '--watch'];
    const { nextLine, errors } = startCommandLine(command, { cwd: folder });
    for (let line = ''; !line.includes('advance'); ) line = await nextLine();
    await nextLine();
    write('words.yaml', `${first.replace('name: A', 'name: B')}ban: strict`);
    expect(await nextLine()).toBe('reloaded words.yaml: pets (1 changed) not loaded without --reseed, ban');
    write('words.yaml', `${first}ban: strickt`);
    await expect
      .poll(errors)
      .toMatch(
        /^words\.yaml:3:6: ban: expected "default".*\nwords\.yaml was not loaded; the previous scenario stays loaded\n$/,
      );
  });
});

test('petstore-sim assumptions --json prints every assumption with its texts and values', async () => {
  const { code, out } = await run('assumptions', '--json');
  expect(code).toBe(0);
  const { assumptions: list } = JSON.parse(out);
  expect(list.map(({ id }: { id: string }) => id)).toEqual(Object.keys(assumptions));
  for (const assumption of list) {
    expect(assumption).toMatchObject({ question: expect.any(String), documentQuote: expect.any(String) });
    expect(assumption).toHaveProperty('default');
    expect(assumption.alternatives).toBeInstanceOf(Array);
  }
});
