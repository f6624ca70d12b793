import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Send, Sent } from './client.js';

// Debian's own Python: python3-urllib3 is in no other.
const python = '/usr/bin/python3';

/** Runs a program to its end, whatever that is. It is killed when the signal aborts. Without the user's settings. */
const run = (file: string, args: string[], signal: AbortSignal) =>
  new Promise<string>((resolve) => {
    const environment = { PATH: process.env.PATH };
    execFile(file, args, { signal, env: environment, killSignal: 'SIGKILL' }, (_error, out) => resolve(out));
  });

const curl = (retry: (sent: Sent) => string[]): Send => {
  return (sent, signal) => {
    const headers = Object.entries(sent.headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]);
    const data = sent.body === undefined ? [] : ['--data', sent.body];
    return run('curl', ['--silent', ...retry(sent), ...headers, ...data, sent.url], signal);
  };
};

export const curlDefault = curl(() => ['--retry', '5']);
// doc: curl
const retryOptions = (method: string) => (method === 'GET' ? ['--retry', '5', '--retry-max-time', '60'] : []);
// end
export const curlRight = curl(({ method }) => retryOptions(method));

const urllib3 = (script: string): Send => {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return ({ method, url, headers, body = '' }, signal) =>
    run(python, [path, method, url, JSON.stringify(headers), body], signal);
};

export const urllib3Default = urllib3('urllib3-default.py');
export const urllib3Right = urllib3('urllib3-right.py');

/** The version of a program on this machine, or `undefined` where it is not. */
const versionOf = (file: string, ...args: string[]) => {
  try {
    return /\d+\.[\d.]+\d/.exec(
      execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )?.[0];
  } catch {
    return undefined;
  }
};

/** Debian packages that the matrix needs, and the versions of what is in them, where they are. */
export const debianPackages: Record<'curl' | 'python3-urllib3', string | undefined> = {
  curl: versionOf('curl', '--version'),
  'python3-urllib3': versionOf(python, '-c', 'import urllib3; print(urllib3.__version__)'),
};
