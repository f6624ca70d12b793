import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { cli } from '../support/command-line.js';
import { patience } from '../support/patience.js';

type Kill = (signal: NodeJS.Signals) => void;
let stopAtEnd: (() => Promise<unknown>) | undefined;
afterEach(() => stopAtEnd?.());

/** Throws an uncaught error on request. */
const crashing = `data:text/javascript,${encodeURIComponent("process.on('SIGUSR2', () => { throw new Error('crash'); });")}`;

/** Starts a server of which only the first lines are read, until `read` is called. */
async function start() {
  const flags = ['--import', crashing, cli, 'serve', '--port', '0', '--log', 'json', '--no-limits'];
  const child = spawn(process.execPath, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[code: number | null]>;
  stopAtEnd = () => {
    child.kill('SIGKILL');
    return closed;
  };
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
  child.stdout.pause();
  const { baseUrl } = JSON.parse(String(chunk));
  const get = async (query: string) => {
    const headers = { authorization: 'Bearer free-key' };
    const response = await fetch(`${baseUrl}/pets?${query}`, { headers });
    await response.arrayBuffer();
    return response.status;
  };
  const kill: Kill = (signal) => void child.kill(signal);
  return { get, kill, closed, pid: child.pid as number, errors: () => errors, ...reading(child.stdout) };
}

function reading(stdout: Readable) {
  let text = '';
  return {
    stdout,
    read() {
      stdout.on('data', (chunk) => {
        text += chunk;
      });
      stdout.resume();
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests look into them
    lines: (): any[] =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
}

const numberOf = ({ target }: { target: string }) => Number(/n=(\d+)/.exec(target)?.[1]);

test('a line is written before the next manual request', async () => {
  const { get, read, lines } = await start();
  read();
  await get('n=1');
  await vi.waitFor(() => expect(lines()).toMatchObject([{ target: '/v1/pets?n=1', status: 200 }]), patience);
});

test('a blocked reader delays no request; lines above a bound are dropped whole and counted', async () => {
  const { get, kill, closed, read, lines } = await start();
  const long = 'x'.repeat(8_000);
  for (let n = 1; n <= 500; n++) expect(await get(`n=${n}&${long}`)).toBe(200);
  read();
  await vi.waitFor(() => expect(lines().some(({ event }) => event === 'warning')).toBe(true), patience);
  await get('n=501');
  kill('SIGTERM');
  await closed;
  const all = lines();
  const at = all.findIndex(({ event }) => event === 'warning');
  const dropped = Number(/^(\d+) lines of this log were dropped/.exec(all[at].message)?.[1]);
  const numbers = all.filter(({ event }) => event === 'request').map(numberOf);
  // At most 4 MB are buffered, in addition to the pipe.
  expect(dropped).toBeGreaterThan(150);
  expect(dropped).toBeLessThan(400);
  expect(numbers).toEqual([...Array.from({ length: 500 - dropped }, (_, n) => n + 1), 501]);
  expect(numbers.indexOf(501)).toBe(at);
});

test.each([
  ['SIGTERM', 0, ''],
  ['SIGUSR2', 2, 'Error: crash'],
] as const)('after %s the log is whole', async (signal, code, said) => {
  const { get, kill, closed, read, lines, errors } = await start();
  for (let n = 1; n <= 20; n++) await get(`n=${n}`);
  kill(signal);
  read();
  expect(await closed).toEqual([code, null]);
  expect(lines().map(numberOf)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  expect(errors()).toContain(said);
});
