import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { startedProcesses } from './started-processes.js';

/** Interval between two checks whether processes of a stopped client command still run. */
const pollMs = 50;
/** Time within which a process must end after SIGKILL. A process of another user cannot be ended at all. */
const killedMs = 1_000;

/** Processes of a client: the process of its command and all descendants of that process. */
export interface ProcessTree {
  signal(signal: NodeJS.Signals): void;
  /** Waits until the command and its descendants have ended. After `graceMs`, they receive SIGKILL. */
  end(graceMs: number): Promise<void>;
}

/**
 * Returns functions that signal and end all processes of a command. On Windows, which has no signals, taskkill ends
 * them.
 * @param pid process id of the command
 * @param mark environment variable that is unique to the command: `NAME=value`
 */
export function processTreeOf(pid: number, mark: string, platform = process.platform): ProcessTree {
  if (platform === 'win32') return { signal: () => taskkill(pid), end: async () => {} };
  const known = new Set<number>();
  const find = () => {
    const found = startedProcesses(pid, mark, known);
    for (const each of found) known.add(each);
    return found;
  };
  return {
    signal(signal) {
      // Signals a shell before its child processes. Otherwise the shell would run its next command when a child process
      // ends.
      const found = find();
      for (const each of [pid, ...found]) kill(each, signal);
    },
    async end(graceMs) {
      const startMs = performance.now();
      for (let left = find(); left.length > 0; left = find()) {
        const lastedMs = performance.now() - startMs;
        if (lastedMs > graceMs + killedMs) return;
        if (lastedMs >= graceMs) for (const each of left) kill(each, 'SIGKILL');
        await pause(pollMs);
      }
    },
  };
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Ignores an error that means that the process has ended already.
  }
}

function taskkill(pid: number): void {
  // Ignores errors of taskkill, because it may be missing or the process may have ended already.
  spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
}
