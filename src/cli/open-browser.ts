import { spawn } from 'node:child_process';

/** What opens an address in the browser, by platform. */
const commands: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  // The empty text is the title of a window that `start` would otherwise take the address for.
  win32: ['cmd', '/c', 'start', '""'],
};

/** Opens an address in the browser; says so where that cannot be done, since the server runs all the same. */
export function openBrowser(url: string): void {
  const [command = 'xdg-open', ...args] = commands[process.platform] ?? [];
  const tell = (why: string) =>
    process.stderr.write(`petstore-sim: Failed to open the browser: ${why}; open ${url} yourself\n`);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => tell(`expected the command ${command}, found none`));
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) tell(`${command} ended with ${code}`);
  });
  child.unref();
}
