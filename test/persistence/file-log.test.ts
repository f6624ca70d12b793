import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LogUnavailableError } from '../../src/persistence/log.js';
import { newFolder } from '../support/new-folder.js';
import { change, contentOf, logFiles, newLog, openFor, positionsOf, range, readFolder, scenario } from './folders.js';

const nameOf = (kind: 'log' | 'snapshot', position: number) => `${kind}-${String(position).padStart(12, '0')}.jsonl`;
const commands = (number: number) => [{ kind: 'request', path: `/v1/pets/${number}` }];

test('a log returns appended entries in order', async () => {
  const { folder, log, isNew, identity } = await newLog();
  expect([isNew, identity.scenario, log.position]).toEqual([true, scenario, 0]);
  const first = await log.append({ atMs: 1000, commands: commands(1) });
  const second = await log.append({ atMs: 1001, commands: commands(2), answered: [[1, 'f00d']] });
  expect(first).toEqual({ position: 1, atMs: 1000, commands: commands(1) });
  await log.close();

  const found = await readFolder(folder, { version: '1.1.0' });
  expect(found.entries).toEqual([
    { ...first, version: '1.0.0' },
    { ...second, version: '1.0.0' },
  ]);
  expect(found.entries[1]?.answered).toEqual([[1, 'f00d']]);
  expect(found.notices).toEqual(['The log was written by petstore-sim 1.0.0; this is 1.1.0.']);
});

test('a reopened log continues after the last entry', async () => {
  const folder = newFolder();
  for (const atMs of [1, 2, 3]) {
    const { log, isNew } = await openFor(folder);
    expect(isNew).toBe(atMs === 1);
    await log.append({ atMs, commands: [] });
    await log.close();
  }
  const { entries, notices } = await readFolder(folder);
  expect(entries.map(({ position, atMs }) => [position, atMs])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  expect(notices).toEqual([]);
});

test('entries of two versions are in separate files, each with its version', async () => {
  const folder = newFolder();
  for (const version of ['1.0.0', '1.1.0', '1.1.0']) {
    const { log } = await openFor(folder, { version });
    await log.append({ atMs: 1, commands: [] });
    await log.close();
  }
  const { entries } = await readFolder(folder, { version: '1.1.0' });
  expect(entries.map(({ version }) => version)).toEqual(['1.0.0', '1.1.0', '1.1.0']);
  expect(logFiles(folder)).toEqual(['log-000000000001.jsonl', 'log-000000000002.jsonl']);
});

test('commands keep all digits, characters and nested levels', async () => {
  const folder = newFolder();
  let deep: unknown = 'deep';
  for (let level = 0; level < 32; level++) deep = { level: deep };
  const values = [9223372036854775807n, -9223372036854775808n, 0.1, 1e300, 'ü\u2028\n"\\\u0000😀', null, true, deep];
  const { log } = await openFor(folder);
  await log.append({ atMs: 1, commands: values });
  await log.append({ atMs: 1, commands: ['a lone surrogate: \ud800', { __proto__: null, plain: 1 }] });
  await log.close();
  const { entries } = await readFolder(folder);
  expect(entries[0]?.commands).toEqual(values);
  expect(entries[1]?.commands).toEqual(['a lone surrogate: \ud800', { plain: 1 }]);
});

test('each line is JSON with its type, and only its owner can read the files', async () => {
  const folder = join(newFolder(), 'made', 'here');
  const { log } = await openFor(folder);
  await log.append({ atMs: 1, commands: commands(7) });
  await log.writeSnapshot(1, [{ pets: [] }]);
  const lines = logFiles(folder).map((name) =>
    readFileSync(join(folder, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  );
  expect(lines[0]?.[0]).toMatchObject({ file: 'petstore-sim log', format: 1, version: '1.0.0', birth: { scenario } });
  expect(lines[0]?.[1]).toMatchObject({ position: 1, commands: commands(7) });
  expect(lines[1]).toMatchObject([{ file: 'petstore-sim snapshot' }, { piece: { pets: [] } }, { end: { pieces: 1 } }]);
  for (const name of logFiles(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('a start reads the newest snapshot and only the entries after it', async () => {
  const { folder, log } = await newLog();
  for (let number = 1; number <= 5; number++) await log.append({ atMs: number, commands: commands(number) });
  await log.writeSnapshot(2, ['after 2']);
  await log.writeSnapshot(4, ['after', 4]);
  expect(log.snapshotPosition).toBe(4);
  await log.close();
  const { snapshot, entries } = await readFolder(folder);
  expect(snapshot).toEqual({ position: 4, pieces: ['after', 4] });
  expect(positionsOf(entries)).toEqual([5]);
});

test('a snapshot is due when the log exceeds its bound, and the log then continues in a new file', async () => {
  const { folder, log } = await newLog({ minimumLogBytes: 10_000 });
  while (!log.snapshotIsDue) await log.append({ atMs: 1, commands: ['x'.repeat(500)] });
  const due = log.position;
  expect(due).toBeGreaterThan(15);
  expect(due).toBeLessThan(20);
  await log.append({ atMs: 2, commands: [] });
  // Written during the snapshot.
  const written = log.writeSnapshot(due, ['state']);
  expect(log.snapshotIsDue).toBe(false);
  await log.append({ atMs: 3, commands: [] });
  await written;
  expect(logFiles(folder)).toEqual(['log-000000000001.jsonl', nameOf('log', due + 1), nameOf('snapshot', due)]);
  await log.close();
  const { snapshot, entries } = await readFolder(folder);
  expect(snapshot?.position).toBe(due);
  expect(entries.map(({ atMs }) => atMs)).toEqual([2, 3]);
});

test('a snapshot is due when the log is larger than the state, and still at the next start', async () => {
  const options = { minimumLogBytes: 1000 };
  const { folder, log } = await newLog(options);
  await log.append({ atMs: 1, commands: ['x'.repeat(2000)] });
  expect(log.snapshotIsDue).toBe(true);
  await log.writeSnapshot(1, ['x'.repeat(10_000)]);
  for (let number = 0; number < 9; number++) await log.append({ atMs: 1, commands: ['x'.repeat(1000)] });
  expect(log.snapshotIsDue).toBe(false);
  await log.append({ atMs: 1, commands: ['x'.repeat(1000)] });
  expect(log.snapshotIsDue).toBe(true);
  await log.close();
  expect((await openFor(folder, options)).log.snapshotIsDue).toBe(true);
});

test('only files before the second-newest snapshot are removed', async () => {
  const { folder, log } = await newLog({ minimumLogBytes: 1000 });
  const positions: number[] = [];
  for (let round = 0; round < 4; round++) {
    while (!log.snapshotIsDue) await log.append({ atMs: round, commands: ['x'.repeat(100)] });
    positions.push(log.position);
    await log.writeSnapshot(log.position, [round]);
  }
  await log.close();
  const [, , third = 0, fourth = 0] = positions;
  expect(logFiles(folder)).toEqual([
    nameOf('log', third + 1),
    nameOf('log', fourth + 1),
    nameOf('snapshot', third),
    nameOf('snapshot', fourth),
  ]);
  // The one before is of use: it is what the newest falls back to.
  change(folder, nameOf('snapshot', fourth), (bytes) => bytes.subarray(0, -1));
  const { snapshot, entries, notices } = await readFolder(folder);
  expect(snapshot?.position).toBe(third);
  expect(positionsOf(entries)).toEqual(range(third + 1, fourth));
  expect(notices).toHaveLength(1);
});

test('an entry between a snapshot and the end of its file stays readable', async () => {
  const { folder, log } = await newLog({ minimumLogBytes: 1000 });
  const due: number[] = [];
  for (let round = 0; round < 3; round++) {
    while (!log.snapshotIsDue) await log.append({ atMs: round, commands: ['x'.repeat(100)] });
    due.push(log.position);
    // The last entry of the file is written after the captured state.
    await log.writeSnapshot(log.position - 1, [round]);
  }
  await log.close();
  const [, second = 0, third = 0] = due;
  change(folder, nameOf('snapshot', third - 1), (bytes) => bytes.subarray(1));
  const { snapshot, entries } = await readFolder(folder);
  expect(snapshot).toEqual({ position: second - 1, pieces: [1] });
  expect(positionsOf(entries)).toEqual(range(second, third));
});

test('a snapshot has its final name only after it is complete', async () => {
  const { folder, log } = await newLog();
  await log.append({ atMs: 1, commands: [] });
  const seen: string[][] = [];
  const pieces = function* () {
    for (let piece = 0; piece < 3; piece++) {
      seen.push(logFiles(folder));
      yield 'x'.repeat(100_000);
    }
  };
  await log.writeSnapshot(1, pieces());
  expect(seen).toEqual(Array(3).fill(['log-000000000001.jsonl']));
  expect(logFiles(folder)).toEqual(['log-000000000001.jsonl', 'snapshot-000000000001.jsonl']);
});

test('pieces with an error leave no snapshot, and the log continues', async () => {
  const { folder, log } = await newLog();
  await log.append({ atMs: 1, commands: [] });
  const pieces = function* () {
    yield 'one';
    throw new Error('no more');
  };
  await expect(log.writeSnapshot(1, pieces())).rejects.toThrow('no more');
  expect(readdirSync(folder).filter((name) => !name.startsWith('lock-'))).toEqual(['log-000000000001.jsonl']);
  await log.writeSnapshot(1, ['whole']);
  await log.append({ atMs: 2, commands: [] });
  await log.close();
  expect(await readFolder(folder)).toMatchObject({ snapshot: { position: 1 }, entries: [{ position: 2 }] });
});

test('a snapshot has a reached position, and only one is written at a time', async () => {
  const { log } = await newLog();
  await log.append({ atMs: 1, commands: [] });
  await expect(log.writeSnapshot(2, [])).rejects.toThrow(RangeError);
  const first = log.writeSnapshot(1, []);
  await expect(log.writeSnapshot(1, [])).rejects.toThrow('one snapshot at a time');
  await first;
});

test('the event loop runs between the pieces of a snapshot', async () => {
  const { log } = await newLog();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const piece = 'x'.repeat(60_000);
  await log.writeSnapshot(0, Array(100).fill(piece));
  isOver = true;
  expect(turns).toBeGreaterThan(30);
});

test('with flush, entries resolve in order, and closing waits for them', async () => {
  const { folder, log } = await newLog({ flush: true, minimumLogBytes: 2000 });
  const resolved: number[] = [];
  const all = Array.from({ length: 50 }, (_, index) =>
    log.append({ atMs: index, commands: ['x'.repeat(100)] }).then(({ position }) => resolved.push(position)),
  );
  await log.close();
  await Promise.all(all);
  expect(resolved).toEqual(range(1, 50));
  expect((await readFolder(folder)).entries).toHaveLength(50);
});

test('an entry with several commands has at most 1 MiB', async () => {
  const { folder, log } = await newLog();
  const half = 'x'.repeat(600_000);
  await expect(log.append({ atMs: 1, commands: [half, half] })).rejects.toThrow('at most 1048576 bytes');
  await log.append({ atMs: 1, commands: [half.repeat(3)] });
  await log.append({ atMs: 1, commands: ['after'] });
  await log.close();
  expect(positionsOf((await readFolder(folder)).entries)).toEqual([1, 2]);
});

test('a closed log rejects entries and releases the folder', async () => {
  const { folder, log } = await newLog();
  await log.close();
  await expect(log.append({ atMs: 1, commands: [] })).rejects.toThrow(LogUnavailableError);
  await log.close();
  expect((await readFolder(folder)).entries).toEqual([]);
});

test('entries with different responses in a new version are set aside, with all later entries', async () => {
  const { folder, log } = await newLog({ minimumLogBytes: 1000 });
  for (let number = 1; number <= 30; number++) await log.append({ atMs: number, commands: commands(number) });
  await log.close();
  const opened = await openFor(folder);
  const sentence = await opened.log.setAside(9, 'petstore-sim 1.1.0 answers it differently from 1.0.0');
  expect(sentence).toMatch(/^Entry 9 and all after it were set aside as set-aside-1-log-\S+, .*because petstore-sim 1/);
  await expect(opened.log.append({ atMs: 1, commands: [] })).rejects.toThrow('opened again');
  await opened.log.close();
  const again = await openFor(folder);
  const { entries, notices } = await contentOf(again);
  expect(positionsOf(entries)).toEqual(range(1, 8));
  expect(notices).toEqual([]);
  await again.log.append({ atMs: 40, commands: ['new'] });
  await expect(again.log.setAside(3, 'late')).rejects.toThrow(RangeError);
  await again.log.close();
  expect((await readFolder(folder)).entries.at(-1)).toMatchObject({ position: 9, commands: ['new'] });
});

test.for([
  ['its folder', (folder: string) => rmSync(folder, { recursive: true })],
  ['its file', (folder: string) => rmSync(join(folder, 'log-000000000001.jsonl'))],
] as const)('a log acknowledges nothing after %s was removed', async ([, remove]) => {
  const folder = newFolder();
  const fatal: string[] = [];
  const { log } = await openFor(folder, { onFatal: (sentence) => fatal.push(sentence) });
  await log.append({ atMs: 1, commands: commands(1) });
  remove(folder);
  for (const number of [2, 3]) {
    await expect(log.append({ atMs: number, commands: commands(number) })).rejects.toThrow(LogUnavailableError);
  }
  expect(fatal).toEqual([`Failed to write the log: its file was removed from ${folder}; the process ends.`]);
});

test('reset starts a new log and removes the old one', async () => {
  const { folder, log, identity } = await newLog();
  await log.append({ atMs: 1, commands: commands(1) });
  await log.writeSnapshot(1, ['state']);
  await log.close();
  const fresh = await openFor(folder, { reset: true, scenario: { name: 'other', hash: 'ef' } });
  const { isNew, entries, snapshot, notices } = await contentOf(fresh);
  expect({ isNew, entries, snapshot, notices }).toEqual({ isNew: true, entries: [], snapshot: undefined, notices: [] });
  expect(fresh.identity.id).not.toBe(identity.id);
  expect(fresh.identity.scenario.name).toBe('other');
});

test('a log closes and releases its folder even if the note about it cannot be written', async () => {
  const { folder, log } = await newLog();
  await log.append({ atMs: 1, commands: commands(1) });
  // A full disk takes no note, and neither does a folder that is gone.
  rmSync(folder, { recursive: true });
  await expect(log.close()).resolves.toBeUndefined();
});

test('a second process is rejected even if the folder cannot contain sockets', async () => {
  const folder = newFolder();
  const { listen } = Server.prototype;
  const refused: string[] = [];
  vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, path: unknown) {
    if (!String(path).startsWith(folder)) return listen.call(this, path as string);
    refused.push(String(path));
    const error = Object.assign(new Error('listen EOPNOTSUPP'), { code: 'EOPNOTSUPP', syscall: 'listen' });
    process.nextTick(() => this.emit('error', error));
    return this;
  });
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const { log } = await openFor(folder);
  await expect(openFor(folder)).rejects.toThrow('expected a folder that no other process uses');
  await log.close();
  await openFor(folder);
  expect(refused).toHaveLength(3);
});
