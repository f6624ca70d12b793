import { spawn } from 'node:child_process';

/** Command that opens a URL in the browser, by platform. */
const commands: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  // The empty text is the window title; otherwise `start` would use the URL as the title.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens a URL in the browser. Reports a failure on standard error, because the server runs regardless. */
export function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = commands[process.platform] ?? [];
  const printFailure = (why: string) =>
    process.stderr.write(`petstore-sim: Failed to open the browser: ${why}; open ${url} manually\n`);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => printFailure(`expected the command ${command}, found none`));
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) printFailure(`${command} ended with ${code}`);
  });
  child.unref();
}
