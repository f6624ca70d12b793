import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runClientCommand } from '../../src/cli/client-command.js';
import { cli, runCommandLine } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

/** Whether a process is running, by its id. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const folderWith = (files: Record<string, string>) => {
  const folder = newFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
};

const pidIn = (folder: string) => Number(readFileSync(join(folder, 'pid'), 'utf8'));

test.each(['INT', 'QUIT'])(
  'a client in a terminal that ends by SIG%s leaves no background process, also if its end is noticed first',
  (signal) => {
    // Only the client gets the signal, so its end is noticed without a signal to petstore-sim.
    const folder = folderWith({ 'client.sh': `sleep 300 &\necho $! > pid\nkill -${signal} $$\n` });
    const command = `'${process.execPath}' '${cli}' exec --verdict verdict.json -- sh client.sh`;
    const { status } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: folder, encoding: 'utf8' });
    expect(isRunning(pidIn(folder))).toBe(false);
    expect(status).toBe(signal === 'INT' ? 130 : 131);
    const verdict = JSON.parse(readFileSync(join(folder, 'verdict.json'), 'utf8'));
    expect(verdict.command).toMatchObject({ signal: `SIG${signal}`, stoppedBy: `SIG${signal}` });
  },
);

test('a process that a command leaves behind, and that holds its output, does not delay the end until the time limit', async () => {
  const folder = folderWith({ 'client.sh': 'sleep 300 &\necho $! > pid\necho done\n' });
  const { end, output } = await runClientCommand(['sh', 'client.sh'], {
    env: { PETSTORE_SIM_URL: `http://127.0.0.1:1/${folder}` },
    folder,
    output: 'keep',
    timeoutMs: 120_000,
  });
  expect([end, output]).toEqual([{ exitCode: 0 }, 'done\n']);
  expect(isRunning(pidIn(folder))).toBe(false);
});

test('a removed working directory is a mistake in one line', () => {
  const shell = 'd=$(mktemp -d); cd "$d"; rmdir "$d"; exec "$@"';
  const { status, stderr } = spawnSync('sh', ['-c', shell, 'sh', process.execPath, cli, 'scenarios'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    2,
    'petstore-sim: expected a working directory, got one that was removed; change to another folder\n',
  ]);
});

test.each([
  ['a HAR with a duration beyond all dates', 'time', 1e308],
  ['a HAR with the last date of all', 'startedDateTime', '+275760-09-13T00:00:00Z'],
  ['a journal with a duration beyond all dates', 'durationMs', 8.64e15],
])('%s is judged like one without times', async (_, field, value) => {
  const isHar = field !== 'durationMs';
  const har = (second: number) => ({
    startedDateTime: `2026-01-01T12:00:0${second}Z`,
    time: 20,
    timings: { send: 0, wait: 20, receive: 0 },
    request: { method: 'GET', url: 'https://api.test/items', headers: [{ name: 'Authorization', value: 'Bearer k' }] },
    response: { status: 200, headers: [], content: {} },
    [field]: value,
  });
  const line = (second: number) => ({
    ...{
      time: `2026-01-01T12:00:0${second}Z`,
      method: 'GET',
      baseUrl: 'https://api.test',
      path: '/items',
      status: 200,
    },
    ...{ requestHeaders: { Authorization: 'Bearer k' }, headers: {}, [field]: value },
  });
  const text = isHar
    ? JSON.stringify({ log: { entries: [1, 2].map(har) } })
    : [1, 2].map((second) => `${JSON.stringify(line(second))}\n`).join('');
  const folder = folderWith({ recording: text });
  const args = ['judge', 'recording', '--json', '--base-url', 'https://api.test', '--report', 'report.html'];
  const { code, out, err } = await runCommandLine(args, { cwd: folder });
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toMatchObject({ outcome: 'inconclusive', counts: { requests: 2 } });
});
