import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { eventually } from '../page/stage.js';
import { clientCommand } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { startCommandLine, startServer } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();
let baseUrl: string;
/** Completed requests of a server, in JSON Lines. */
let recorded: string;
/** A run that was written down whole. */
let run: string;
const inFolder = (name: string) => join(folder, name);
const text = (file: string) => readFileSync(file, 'utf8');
const ask = (...more: string[]) => ['--target', baseUrl, '--key-env', 'KEY_OF_OUTPUT', '--patience', '1s', ...more];

beforeAll(async () => {
  vi.stubEnv('KEY_OF_OUTPUT', 'free-key');
  ({ baseUrl } = await startServer());
  recorded = inFolder('recorded.jsonl');
  run = inFolder('run.jsonl');
  const listing = clientCommand('await list();');
  expect((await runCommandLine(['exec', '--record', run, '--', ...listing])).code).toBe(0);
  expect((await runCommandLine(['compare', ...ask('--budget', '16', '--save', recorded)])).code).toBe(0);
});

describe('a recording', () => {
  test.each(['serve', 'exec'])('of %s does not overwrite a file with content', async (command) => {
    const kept = inFolder(`kept-by-${command}.json`);
    writeFileSync(kept, '{"name":"mine"}');
    const args = command === 'serve' ? ['--port', '0'] : ['--', process.execPath, '-e', ''];
    const { code, err } = await runCommandLine([command, '--record', kept, ...args]);
    expect([code, text(kept)]).toEqual([2, '{"name":"mine"}']);
    expect(err).toContain(`expected --record to name a new file, got "${kept}", which exists`);
  });

  test('is written to an empty file, as mktemp creates, with the same mode', async () => {
    const file = inFolder('empty.jsonl');
    writeFileSync(file, '', { mode: 0o644 });
    expect((await runCommandLine(['exec', '--record', file, '--', process.execPath, '-e', ''])).code).toBe(0);
    expect(text(file)).toContain('petstore-sim recording');
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test('leaves no file if the start fails, so that the name can be reused', async () => {
    const file = inFolder('never.jsonl');
    const { port } = new URL(baseUrl);
    const taken = await runCommandLine(['serve', '--port', port, '--record', file]);
    expect([taken.code, existsSync(file)]).toEqual([2, false]);
    const missing = await runCommandLine(['exec', '--record', file, '--', 'no-such-command']);
    expect([missing.code, existsSync(file)]).toEqual([2, false]);
  });
});

describe('a file that cannot be written', () => {
  test.each<[command: string, args: () => string[], flag: string]>([
    ['compare --save', () => ['compare', '--with', recorded, '--save', folder], '--save'],
    ['compare --junit', () => ['compare', '--with', recorded, '--junit', folder], '--junit'],
    ['calibrate --out', () => ['calibrate', '--from', recorded, '--out', folder], '--out'],
    ['calibrate, before it asks', () => ['calibrate', ...ask('--out', join(recorded, 'x.yaml'))], '--out'],
    ['scenario --out', () => ['scenario', '--from', recorded, '--out', folder], '--out'],
    ['scenario --out onto what it reads', () => ['scenario', '--from', recorded, '--out', recorded], '--out'],
    ['judge --verdict onto what it reads', () => ['judge', recorded, '--verdict', recorded], '--verdict'],
    ['state export onto what it reads', () => ['state', 'export', '--from', run, run], 'FILE'],
  ])('is reported by %s, in a sentence', async (_, args, flag) => {
    const before = text(recorded) + text(run);
    const { code, err } = await runCommandLine(args());
    expect(err).toMatch(new RegExp(`expected ${flag} to name a writable file, got ".*": `));
    expect([code, err.split('\n').length]).toEqual([2, 2]);
    expect(text(recorded) + text(run)).toBe(before);
  });

  test.skipIf(process.platform !== 'linux').each(['/proc/none/report.html', '/proc/report.html'])(
    'is reported before the run if its folder cannot be created: %s',
    async (report) => {
      const left = inFolder('left-by-the-client');
      const command = ['--', process.execPath, '-e', 'fs.writeFileSync(process.argv[1], "")', left];
      const { code, err } = await runCommandLine(['exec', '--report', report, ...command]);
      expect([code, existsSync(left)]).toEqual([2, false]);
      expect(err).toContain(`expected --report to name a writable file, got "${report}": ENOENT`);
    },
  );

  test('is created with its folder by calibrate, before the first request', async () => {
    const out = join(folder, 'not', 'there', 'learnt.yaml');
    const plan = await runCommandLine(['calibrate', ...ask('--out', out, '--budget', '2', '--plan')]);
    expect([plan.code, existsSync(join(folder, 'not'))]).toEqual([0, false]);
    const { err } = await runCommandLine(['calibrate', ...ask('--out', out, '--budget', '2')]);
    expect(err).not.toMatch(/^\s+at /m);
    expect(text(out)).toContain('assumptions:');
    expect(text(out.replace('yaml', 'jsonl')).trim().split('\n')).toHaveLength(2);
  });

  test('is created with its folder', async () => {
    const out = join(folder, 'new', 'folder', 'of.yaml');
    expect((await runCommandLine(['scenario', '--from', recorded, '--out', out])).code).toBe(0);
    expect(text(out)).toContain('pets:');
  });
});

describe('an ending of another format', () => {
  const command = ['--', process.execPath, '-e', 'require("fs").writeFileSync("ran", "")'];
  test.each<[args: () => string[], flag: string, format: string]>([
    [() => ['exec', '--report', inFolder('report.pdf'), ...command], '--report', 'HTML (.html or .htm)'],
    [() => ['exec', '--report', inFolder('report.html.txt'), ...command], '--report', 'HTML (.html or .htm)'],
    [() => ['exec', '--junit', inFolder('x.json'), ...command], '--junit', 'XML (.xml)'],
    [() => ['exec', '--verdict', inFolder('x.html'), ...command], '--verdict', 'JSON (.json)'],
    [() => ['exec', '--record', inFolder('x.har'), ...command], '--record', 'JSON Lines (.jsonl'],
    [() => ['hunt', '--report', inFolder('x.json'), ...command], '--report', 'HTML'],
    [() => ['judge', recorded, '--report', inFolder('x.md')], '--report', 'HTML'],
    [() => ['replay', run, '--judge', '--report', inFolder('x.PDF')], '--report', 'HTML'],
    [() => ['compare', '--with', recorded, '--junit', inFolder('x.html')], '--junit', 'XML'],
    [() => ['calibrate', '--from', recorded, '--out', inFolder('x.jsonl')], '--out', 'YAML (.yaml or .yml)'],
    [() => ['scenario', '--from', recorded, '--out', inFolder('x.json')], '--out', 'YAML'],
    [() => ['state', 'export', '--from', run, inFolder('x.yaml')], 'FILE', 'JSON'],
  ])('is a sentence before the run: %s', async (args, flag, format) => {
    const before = readdirSync(folder);
    const { code, out, err } = await runCommandLine(args());
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(new RegExp(`^petstore-sim: expected ${flag} to name a file of .*, got ".*"\n$`));
    expect(err).toContain(format);
    expect(readdirSync(folder)).toEqual(before);
  });

  test.each(['report', 'report.HTM', 'tmp.Xa81bQzPqr', 'v1.2'])('is not that of %s', async (name) => {
    const report = inFolder(name);
    const { code } = await runCommandLine(['exec', '--report', report, '--', process.execPath, '-e', '']);
    expect([code, text(report).slice(0, 15)]).toEqual([0, '<!doctype html>']);
  });
});

test('compare saves the received responses if the service cannot be checked', async () => {
  const kept = inFolder('answers.jsonl');
  writeFileSync(kept, text(recorded));
  const away = ask('--save', kept).with(1, 'http://127.0.0.1:9/v1');
  const { code, err } = await runCommandLine(['compare', ...away]);
  expect([code, text(kept)]).toEqual([2, text(recorded)]);
  expect(err).toContain(`${kept} was not changed, because the comparison was impossible`);
});

test('compare reports a truncated recording, and accepts a scenario that generates its pets', async () => {
  const cut = inFolder('cut.jsonl');
  writeFileSync(cut, text(recorded).slice(0, -200));
  const { code, err } = await runCommandLine(['compare', '--with', cut, 'large-catalogue']);
  expect(code).toBe(0);
  expect(err).toContain(`${cut}: the file ends within an entry`);
});

test('compare rejects a recording of another client, because the earlier usage of its key is unknown', async () => {
  const entry = text(recorded)
    .split('\n')
    .find((line) => line.includes('"status":200')) as string;
  const other = inFolder('other.jsonl');
  writeFileSync(other, `${JSON.stringify({ ...JSON.parse(entry), token: 'key-1', key: '…mine' })}\n`);
  const { code, err } = await runCommandLine(['compare', '--with', other]);
  expect([code, err]).toEqual([2, expect.stringContaining('got one of another client')]);
});

test('compare finds no drift in pets of its own probe if the service stores unknown fields', async () => {
  const server = await startServer(['--set', 'assumptions.unknownFields=echo', '--set', 'keys.free-key.plan=pro']);
  const target = ['--target', server.baseUrl, '--key-env', 'KEY_OF_OUTPUT', '--patience', '1s'];
  const out = inFolder('echo.yaml');
  await runCommandLine(['calibrate', ...target, '--write', '--budget', '20', '--out', out]);
  expect(text(out)).toContain('unknownFields: echo');
  const { out: said } = await runCommandLine(['compare', ...target, '--budget', '14', out]);
  expect(said).not.toContain('drift');
});

test('calibrate continues after a log with a truncated last line', async () => {
  const out = inFolder('learnt.yaml');
  const log = inFolder('learnt.jsonl');
  const command = ['calibrate', ...ask('--out', out)];
  const first = await runCommandLine([...command, '--budget', '4']);
  expect(first.err).toContain('is used up');
  expect(first.err).not.toContain('The same command');
  truncateSync(log, statSync(log).size - 30);
  const second = await runCommandLine([...command, '--budget', '6']);
  expect(second.err).toContain('ended in the middle of its last line, which is ignored');
  expect(second.err).toContain('Continues after the 3 requests');
  const third = await runCommandLine([...command, '--budget', '8']);
  expect(third.err).toContain('Continues after the 6 requests');
  const other = ask('--out', out).with(1, 'http://127.0.0.1:9/v1');
  const { code, err } = await runCommandLine(['calibrate', ...other]);
  expect([code, err]).toEqual([2, expect.stringContaining('use another file for another service: --out FILE')]);
});

test('only the owner can read an exported state, also in an existing file', async () => {
  const file = inFolder('state.json');
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  expect((await runCommandLine(['state', 'export', '--from', run, file])).code).toBe(0);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each([
  ['gauntlet', []],
  ['matrix', ['--only', 'defaultStatus,paging,unknownFields,limitOutOfRange']],
])('%s begins no further run after Ctrl-C, and says so by its exit code', async (command, more) => {
  const starts = join(folder, `starts-${command}`);
  mkdirSync(starts);
  const client = `require('node:fs').writeFileSync(${JSON.stringify(starts)} + '/' + process.pid, ''); setTimeout(() => {}, 200_000)`;
  const started = startCommandLine([command, ...more, '--', process.execPath, '-e', client]);
  const count = () => readdirSync(starts).length;
  await eventually(count).toBeGreaterThan(0);
  started.child.kill('SIGINT');
  const [code] = await once(started.child, 'close');
  const err = started.errors();
  expect(code).toBe(130);
  expect(err).toMatch(/stopped after 0 of \d+ runs/);
  expect(err).not.toContain('MaxListeners');
  expect(count()).toBeLessThan(12);
});
