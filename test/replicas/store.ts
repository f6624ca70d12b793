import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { vi } from 'vitest';
import { atEnd } from '../support/at-end.js';
import { freePort } from '../support/free-port.js';
import { patience } from '../support/patience.js';

const run = promisify(execFile);

export interface Store {
  readonly port: number;
  /** The address of a log in it, for `--data`. */
  url(name?: string): string;
  /** Runs redis-cli. @returns its output */
  ask(...command: string[]): Promise<string>;
  /** Stops it where it stands: connections stay, and nothing is answered. */
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  /** Starts the server again, on the same port and with its files. */
  start(): Promise<void>;
  /** Copies the server's files. @returns a function that restores the copy while the server is stopped */
  copyFiles(): () => void;
  /** Deletes its files, while it does not run. */
  deleteFiles(): void;
}

/** Starts a Redis server on a free port in a new folder, configured as documented. Stopped after the test. */
export async function startStore({ settings = [] }: { settings?: readonly string[] } = {}): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-store-'));
  const [files, copies] = [join(folder, 'data'), join(folder, 'copies')];
  const port = await freePort();
  const set = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', '', ...settings];
  let child: ChildProcess | undefined;
  const ask = async (...command: string[]) => (await run('redis-cli', ['-p', String(port), ...command])).stdout.trim();

  const start = async () => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appenddirname', 'data', ...set];
    child = spawn('redis-server', args, { stdio: 'ignore' });
    await once(child, 'spawn');
    await vi.waitUntil(async () => (await ask('PING').catch(() => '')) === 'PONG', patience);
  };
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  atEnd(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return {
    port,
    url: (name = 'test') => `redis://127.0.0.1:${port}/0?name=${name}`,
    ask,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    kill,
    start,
    copyFiles() {
      rmSync(copies, { recursive: true, force: true });
      cpSync(files, copies, { recursive: true });
      return () => {
        rmSync(files, { recursive: true, force: true });
        cpSync(copies, files, { recursive: true });
      };
    },
    deleteFiles: () => rmSync(files, { recursive: true, force: true }),
  };
}
