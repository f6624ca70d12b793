import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { prepare } from './peers.mjs';
import { requestsOf } from './works.mjs';

/** The server has core 0 to itself, and the load core 1; without taskset (macOS) they share. */
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
 * Starts a peer in a process group of its own and waits until it answers its list with 200.
 * @param {import('./peers.mjs').Peer} peer installed
 * @param {{ port: number, core?: number, node?: string, plain?: boolean }} options `core`: on which it runs; default any
 * @returns {Promise<{ url: string, pid: number, startMs: number, stop: () => Promise<void> }>} `startMs`: from spawn to
 * the first 200
 * @throws {Error} when it ends, or answers nothing else within a minute
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

/** A pipe, as a shell makes one, with a process on the core of the load that throws away what comes until it is closed. */
function openPipe() {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-bench-'));
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const [command, args] = pin(1, 'cat', [path]);
  spawn(command, args, { stdio: 'ignore' });
  // Waits until the reader is there.
  const fd = openSync(path, 'w');
  rmSync(folder, { recursive: true });
  return { fd, close: () => closeSync(fd) };
}

/** Without `fetch`, which would take a while to load the first time. */
function statusOf(url, headers) {
  return new Promise((resolve) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', () => resolve(undefined));
  });
}

/** What a process has used and holds, from /proc; nothing where there is no /proc. @param {number} pid */
export function usageOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    // Clock ticks of a hundredth of a second.
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, rssMiB: Number(kib) / 1024 };
  } catch {
    return undefined;
  }
}
