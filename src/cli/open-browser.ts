import { spawn } from 'node:child_process';
import { printNote } from './print-error.js';

/** Command that opens a URL in the browser, for each operating system. */
const commands: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  // The first argument of `start` on Windows is a window title. Without the empty text, the URL would become the title.
  win32: ['cmd', '/c', 'start', '""'],
};

/**
 * Opens a URL in the browser. A failure is only reported on standard error, because the server does not depend on the
 * browser.
 */
export function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = commands[process.platform] ?? [];
  const printFailure = (why: string) => printNote(`Failed to open the browser: ${why}; open ${url} manually`);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => printFailure(`expected the command ${command}, found none`));
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) printFailure(`${command} ended with ${code}`);
  });
  child.unref();
}
