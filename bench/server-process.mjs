import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepare } from './peers.mjs';
import { requestsOf } from './works.mjs';

/**
 * Runs a command on one processor core. The server has core 0 and the load generator core 1, so that they do not
 * disturb each other. Without taskset (macOS), all cores are shared.
 */
export const pin = (core, command, args) =>
  hasTaskset ? ['taskset', ['-c', String(core), command, ...args]] : [command, args];

export const isThere = (command) => {
  try {
    return execFileSync('which', [command], { stdio: 'pipe' }).length > 0;
  } catch {
    return false;
  }
};
const hasTaskset = isThere('taskset');

/**
 * Starts a server in a separate process group and waits until its list responds with 200.
 * @param {import('./peers.mjs').Peer} peer installed server
 * @param {{ port: number, core?: number, node?: string, plain?: boolean }} options `core`: processor core of the
 * server; default any
 * @returns {Promise<{ url: string, pid: number, startMs: number, stop: () => Promise<void> }>} `startMs`: time from the
 * start of the process to the first 200
 * @throws {Error} if the server exits, or does not respond with 200 within a minute
 */
export async function start(peer, { port, core, ...options }) {
  const { command, args, env, cwd } = await prepare(peer, { port, ...options });
  const [pinned, pinnedArgs] = core === undefined ? [command, args] : pin(core, command, args);
  const output = peer.piped ? openPipe() : undefined;
  const startedMs = performance.now();
  const child = spawn(pinned, pinnedArgs, {
    env,
    cwd,
    stdio: ['ignore', output?.fd ?? 'ignore', 'ignore'],
    detached: true,
  });
  output?.close();
  const exited = once(child, 'exit');
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(-child.pid, 'SIGTERM');
    const tooLong = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 5_000);
    await exited;
    clearTimeout(tooLong);
  };
  const url = `http://127.0.0.1:${port}`;
  const [{ path, headers }] = requestsOf(peer, 'list');
  while ((await statusOf(url + path, headers)) !== 200) {
    const tooLate = performance.now() > startedMs + 60_000;
    if (tooLate || child.exitCode !== null) {
      await stop();
      throw new Error(`${peer.name}: expected ${path} to answer 200 within a minute (exit code ${child.exitCode})`);
    }
    await pause(1);
  }
  return { url, pid: child.pid, startMs: performance.now() - startedMs, stop };
}

/**
 * Opens a pipe for a server's output, as a shell does. The process at its other end discards the output, on the load
 * generator's core.
 */
function openPipe() {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-bench-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const [command, args] = pin(1, 'cat', [path]);
  spawn(command, args, { stdio: 'ignore' });
  // Opening the pipe blocks until its reader has opened it too.
  const fd = openSync(path, 'w');
  rmSync(folder, { recursive: true });
  return { fd, close: () => closeSync(fd) };
}

/** Requests a URL and returns the status. Avoids `fetch`, whose first use takes long to load. */
function statusOf(url, headers) {
  return new Promise((resolve) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', () => resolve(undefined));
  });
}

/**
 * Reads the processor time and the memory of a process from /proc; `undefined` on systems without /proc.
 * @param {number} pid
 */
export function usageOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    // The fields are in clock ticks of 10 ms.
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, rssMiB: Number(kib) / 1024 };
  } catch {
    return undefined;
  }
}
