import { spawn } from 'node:child_process';

/**
 * Ends a command with all that it started: by its process group, and on Windows, which has neither groups nor signals, by
 * taskkill.
 * @param pid of the leader of the group
 */
export function endTree(pid: number, signal: NodeJS.Signals, platform = process.platform): void {
  if (platform === 'win32') {
    // What cannot be started or has nothing to end is told by events, which nobody needs.
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has ended.
  }
}
