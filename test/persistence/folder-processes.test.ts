import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { OpenFileLogOptions } from '../../src/persistence/node/folder/file-log.js';
import { newFolder } from '../support/new-folder.js';
import { change, logFiles, newLog, openFor, positionsOf, range, readFolder } from './folders.js';

const bundle = newFolder();
const script = join(bundle, 'log-process.mjs');

beforeAll(async () => {
  // A process of another user reads it as well.
  chmodSync(bundle, 0o755);
  const entry = join(import.meta.dirname, 'log-process.ts');
  await build({ entryPoints: [entry], outfile: script, bundle: true, platform: 'node', format: 'esm' });
});

interface StartOptions {
  options?: Partial<OpenFileLogOptions>;
  /** A command in front of the one that runs Node. */
  prefix?: readonly string[];
  /** Whether the process records its file calls. Default false. */
  recordsCalls?: boolean;
}

/** Starts a process that keeps a log in a folder; it is killed after the test. */
function start(folder: string, { options = {}, prefix = [], recordsCalls = false }: StartOptions = {}) {
  const preload = recordsCalls ? ['--import', join(import.meta.dirname, 'record-file-calls.mjs')] : [];
  const [command = '', ...args] = [...prefix, process.execPath, ...preload, script, folder, JSON.stringify(options)];
  const child: ChildProcessWithoutNullStreams = spawn(command, args);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const hasEnded = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await hasEnded;
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  const next = async (): Promise<any> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`Failed to read a line: the process has ended; it wrote ${errors}`);
    return JSON.parse(value);
  };
  return {
    child,
    next,
    ask(question: object) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      return next();
    },
    /** Waits for its end. @returns its exit code and what it wrote to standard error */
    async hasEnded() {
      const [code] = await hasEnded;
      return { code, errors };
    },
    async end(signal?: NodeJS.Signals) {
      if (signal === undefined) child.stdin.end();
      else child.kill(signal);
      return this.hasEnded();
    },
  };
}

/** Starts a process in a new folder, and waits until it has read the folder. */
async function startNew(options?: StartOptions) {
  const folder = newFolder();
  const started = start(folder, options);
  await started.next();
  return { folder, process: started };
}

test("a second process is rejected while the first one runs, with the first one's process number", async () => {
  const { folder, process: first } = await startNew();
  await first.ask({ append: ['one'] });
  const refused = await start(folder).next();
  expect(refused.error).toBe('LogOpenError');
  expect(refused.message).toMatch(
    new RegExp(
      `^expected a folder that no other process uses, got ${folder}, which process ${first.child.pid} on \\S+ has used since 20`,
    ),
  );
  // The one that was refused has changed nothing.
  expect(await first.ask({ append: ['two'] })).toMatchObject({ position: 2 });
  expect((await first.end()).code).toBe(0);
  expect((await start(folder).next()).entries).toHaveLength(2);
});

test('a stopped process still owns its folder', async () => {
  const { folder, process: first } = await startNew();
  first.child.kill('SIGSTOP');
  expect(await start(folder).next()).toMatchObject({ error: 'LogOpenError' });
  first.child.kill('SIGCONT');
  expect(await first.ask({ append: ['on'] })).toMatchObject({ position: 1 });
});

test('only one of many concurrently started processes gets the folder', async () => {
  const folder = newFolder();
  for (let round = 0; round < 3; round++) {
    const all = Array.from({ length: 6 }, () => start(folder));
    const results = await Promise.all(all.map(({ next }) => next()));
    expect(results.filter(({ entries }) => entries !== undefined)).toHaveLength(1);
    for (const { entries, message } of results) {
      if (entries === undefined) expect(message).toMatch(/^expected a folder that no other process uses/);
    }
    await Promise.all(all.map((each) => each.end('SIGKILL')));
  }
});

test('after kill -9 the next process starts at once and has every acknowledged entry', async () => {
  const folder = newFolder();
  let acknowledged = 0;
  for (let round = 0; round < 10; round++) {
    const process = start(folder, { options: { minimumLogBytes: 2000 } });
    const { entries, notices } = await process.next();
    const found = entries.length;
    expect(found).toBeGreaterThanOrEqual(acknowledged);
    expect(positionsOf(entries)).toEqual(range(1, found));
    expect(notices.filter((notice: string) => !/was interrupted/.test(notice))).toEqual([]);
    for (let number = 0; number < 20; number++) {
      process.child.stdin.write(`${JSON.stringify({ append: ['x'.repeat(100)] })}\n`);
    }
    for (let number = 0; number < 5 + round; number++) acknowledged = (await process.next()).position;
    await process.end('SIGKILL');
  }
});

test('a process number in a lock is ignored if another container wrote it', async () => {
  const { folder, process: first } = await startNew();
  await first.end('SIGKILL');
  // Lock of a killed process 1 in a container, where every process has number 1.
  const name = readdirSync(folder).find((each) => each.startsWith('lock-') && !each.endsWith('.sock')) as string;
  const note = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, name), JSON.stringify({ ...note, pid: process.pid }));
  const { log } = await openFor(folder);
  expect(log.position).toBe(0);
});

test('two containers with separate process namespaces cannot share a folder', async () => {
  const folder = newFolder();
  const prefix = ['unshare', '--pid', '--fork', '--mount-proc', '--uts', '--net', '--ipc'];
  const isAllowed = spawnSync(prefix[0] as string, [...prefix.slice(1), 'true']).status === 0;
  // Without permission for namespaces, the lock at least contains number 1 for both.
  const first = start(folder, isAllowed ? { prefix } : {});
  await first.next();
  const refused = await start(folder, isAllowed ? { prefix } : {}).next();
  expect(refused.message).toMatch(isAllowed ? /process 1 on/ : /process \d+ on/);
});

test('a process ends with a message if its folder is removed', async () => {
  const { folder, process: first } = await startNew();
  rmSync(folder, { recursive: true });
  expect((await first.hasEnded()).errors).toMatch(/the folder \S+ was removed or emptied; the process ends\.\n$/);
});

test('a log works in a folder whose path is too long for a socket', async () => {
  const folder = join(newFolder(), 'd'.repeat(120), 'e'.repeat(120));
  const first = start(folder);
  expect(await first.next()).toEqual({ entries: [], notices: [] });
  expect((await start(folder).next()).message).toMatch(/^expected a folder that no other process uses/);
  await first.end('SIGKILL');
  expect(await start(folder).next()).toEqual({ entries: [], notices: [] });
});

test('a full disk rejects whole entries, and accepts entries again when it has space', async () => {
  const { folder, process } = await startNew({ prefix: ['bash', '-c', 'ulimit -S -f 8; exec "$@"', 'bash'] });
  const acknowledged: string[] = [];
  const fill = async (text: string) => {
    const answer = await process.ask({ append: [text] });
    if (answer.error === undefined) acknowledged.push(text);
    return answer;
  };
  let refused: { error?: string; message?: string } = {};
  for (let number = 0; refused.error === undefined; number++) refused = await fill(`${number}-${'x'.repeat(700)}`);
  expect(refused).toEqual({
    error: 'LogUnavailableError',
    message:
      'Failed to write to log-000000000001.jsonl: the disk is full (EFBIG); free some space, and writing continues.',
  });
  expect((await fill('y'.repeat(3000))).error).toBe('LogUnavailableError');
  const size = () => statSync(join(folder, 'log-000000000001.jsonl')).size;
  const whole = size();
  expect(readFileSync(join(folder, 'log-000000000001.jsonl'), 'utf8').endsWith(']}\n')).toBe(true);
  // Rejected data takes no space from entries that still fit.
  expect(await fill('short')).toMatchObject({ position: acknowledged.length });
  expect(size()).toBeGreaterThan(whole);
  expect((await process.ask({ snapshot: ['z'.repeat(20_000)] })).error).toBe('LogUnavailableError');
  expect(logFiles(folder)).toEqual(['log-000000000001.jsonl']);
  execFileSync('prlimit', [`--pid=${process.child.pid}`, '--fsize=unlimited:unlimited']);
  expect(await fill('there is room')).toMatchObject({ position: acknowledged.length });
  expect(await process.ask({ snapshot: ['z'.repeat(20_000)] })).toEqual({ snapshot: acknowledged.length });
  expect(await fill('and after it')).toMatchObject({ position: acknowledged.length });
  await process.end('SIGKILL');
  rmSync(join(folder, logFiles(folder).at(-1) as string));
  const { entries, notices } = await readFolder(folder);
  expect(entries.map(({ commands }) => commands[0])).toEqual(acknowledged);
  expect(notices).toEqual([]);
});

test('an interrupted write on a full disk is cut off at the next start', async () => {
  const folder = newFolder();
  const prefix = ['bash', '-c', 'ulimit -f 4; exec "$@"', 'bash'];
  const first = start(folder, { prefix });
  await first.next();
  for (let answer = {}; !('error' in answer); ) answer = await first.ask({ append: ['x'.repeat(1_000)] });
  await first.end('SIGKILL');
  const again = await start(folder, { prefix }).next();
  expect(positionsOf(again.entries)).toEqual([1, 2, 3]);
  expect(again.notices).toEqual([]);
});

test('a failed flush ends the process with a message', async () => {
  const { folder, process: first } = await startNew({ options: { flush: true } });
  await first.ask({ append: ['flushed'] });
  first.child.stdin.write(`${JSON.stringify({ losesFile: true })}\n`);
  // An entry that could not be flushed was not acknowledged.
  await expect(first.next()).rejects.toThrow('the process has ended');
  const { code, errors } = await first.hasEnded();
  expect(code).toBe(1);
  expect(errors).toBe(
    `petstore-sim: Failed to flush ${folder}: EBADF: bad file descriptor, fdatasync. The content of the disk is uncertain, so the process ends; restart it when the disk works.\n`,
  );
  expect((await start(folder).next()).entries[0]).toMatchObject({ commands: ['flushed'] });
});

/** Acknowledged entries of which the bytes, or the name of their file, were not flushed before. */
function acknowledgedEarly(calls: readonly string[]): string[] {
  const isFlushed = (name: string, from: number, to: number) => {
    const start = calls.indexOf(`flush ${name}`, from);
    const end = calls.indexOf(`flushed ${name}`, start);
    return start >= 0 && end >= 0 && end < to;
  };
  const writes = calls.flatMap((call, at) => (/^write log-.*jsonl$/.test(call) ? [{ at, name: call.slice(6) }] : []));
  return calls.filter((call, at) => {
    const [, position] = /^acknowledge (\d+)$/.exec(call) ?? [];
    const write = position === undefined ? undefined : writes[Number(position) - 1];
    if (write === undefined) return position !== undefined;
    const named = calls.indexOf(`rename ${write.name}.unfinished ${write.name}`);
    return !isFlushed(write.name, write.at, at) || !isFlushed('folder', named, at);
  });
}

test('with flush, an entry is acknowledged only after its bytes and its file name are flushed', async () => {
  const { process } = await startNew({ options: { flush: true, minimumLogBytes: 2000 }, recordsCalls: true });
  await process.ask({ appendMany: 40 });
  const calls: string[] = await process.ask({ calls: true });
  expect(acknowledgedEarly(calls)).toEqual([]);
  // Entries were written during a flush, and more than one file was begun.
  expect(calls.filter((call) => /^acknowledge/.test(call))).toHaveLength(40);
  expect(calls.filter((call) => /^flush log-/.test(call)).length).toBeLessThan(40);
  expect(calls.filter((call) => /^rename log-/.test(call)).length).toBeGreaterThan(1);
});

test('a snapshot is flushed before its rename, and renamed before files are removed', async () => {
  const { process } = await startNew({ recordsCalls: true });
  for (const position of [1, 2, 3]) {
    await process.ask({ append: ['x'] });
    await process.ask({ calls: true });
    await process.ask({ snapshot: ['state'] });
    const name = `snapshot-00000000000${position}.jsonl`;
    expect(await process.ask({ calls: true })).toEqual([
      `flush ${name}.unfinished`,
      `flushed ${name}.unfinished`,
      `rename ${name}.unfinished ${name}`,
      'flush folder',
      'flushed folder',
      ...(position === 3 ? ['remove snapshot-000000000001.jsonl'] : []),
    ]);
  }
});

test('unreadable entries are flushed under their new name before they are cut off', async () => {
  const { folder, log } = await newLog();
  for (const command of ['one', 'two', 'three']) await log.append({ atMs: 1, commands: [command] });
  await log.close();
  const name = 'log-000000000001.jsonl';
  change(folder, name, (bytes) => Buffer.from(bytes.toString().replace('"two"', '"TWO"')));
  const process = start(folder, { recordsCalls: true });
  await process.next();
  const calls: string[] = await process.ask({ calls: true });
  expect(calls.filter((call) => / (?:log|set-aside)-/.test(call))).toEqual([
    `write set-aside-1-${name}`,
    `flush set-aside-1-${name}`,
    `flushed set-aside-1-${name}`,
    `cut ${name}`,
  ]);
});

/** Runs a command as the user nobody, without write permission. */
const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];

test('a folder without write permission is rejected with advice', async () => {
  const folder = newFolder();
  chmodSync(folder, 0o555);
  const prefix = process.getuid?.() === 0 ? asNobody : [];
  expect(await start(folder, { prefix }).next()).toEqual({
    error: 'LogOpenError',
    message: `expected a folder that this user may write, got ${folder} (EACCES); change its owner or its mode, or name another`,
  });
  const below = join(folder, 'data');
  expect((await start(below, { prefix }).next()).message).toMatch(/^expected a folder that this user may write, got/);
  chmodSync(folder, 0o700);
});

const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0;

/** Mounts a separate file system. */
function mount(options: string): string {
  const folder = newFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
  });
  return folder;
}

// Without permission to mount, the tests above show the same by a process limit.
test.skipIf(!canMount)(
  'a full file system rejects entries, accepts them when it has space, and never starts incompletely',
  async () => {
    const folder = mount('size=512k');
    const data = join(folder, 'data');
    const process = start(data);
    await process.next();
    let count = 0;
    for (;;) {
      const answer = await process.ask({ append: ['x'.repeat(10_000)] });
      if (answer.error !== undefined) {
        expect(answer.message).toMatch(/the disk is full \(ENOSPC\); free some space, and writing continues/);
        break;
      }
      count++;
    }
    expect((await process.ask({ snapshot: ['x'.repeat(20_000)] })).error).toBe('LogUnavailableError');
    expect(() => writeFileSync(join(folder, 'filler'), 'x'.repeat(20_000))).toThrow('ENOSPC');
    const another = await start(join(folder, 'another')).next();
    expect(another.message).toMatch(
      /^expected room in \S+another, got a full disk \(ENOSPC\); make room, or name another$/,
    );
    spawnSync('mount', ['-o', 'remount,size=1024k', folder]);
    expect(await process.ask({ append: ['there is room'] })).toMatchObject({ position: count + 1 });
    await process.end('SIGKILL');
    const { entries, notices } = await start(data).next();
    expect(entries).toHaveLength(count + 1);
    expect(notices).toEqual([]);
  },
);

test.skipIf(!canMount)('a folder on a read-only file system is rejected with advice', async () => {
  const folder = mount('size=512k');
  const data = join(folder, 'data');
  mkdirSync(data);
  spawnSync('mount', ['-o', 'remount,ro', folder]);
  expect((await start(data).next()).message).toBe(
    `expected a folder that can be written, got ${data} on a read-only file system (EROFS); mount it for writing, or name another`,
  );
});
