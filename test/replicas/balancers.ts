import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { atEnd } from '../support/at-end.js';
import { freePort } from '../support/free-port.js';
import { codeBlocks, userPage } from '../support/markdown.js';
import { patience } from '../support/patience.js';
import { call } from './calls.js';
import type { Replica } from './replicas.js';

const page = userPage('docs/many-replicas.md');

/** A file that the page asks to save. */
export function savedAs(name: string): string {
  const block = codeBlocks(page).find(({ saveAs }) => saveAs === name);
  if (block === undefined) throw new Error(`expected docs/many-replicas.md to ask to save ${name}`);
  return block.text;
}

/** Commands that start each balancer in the foreground with a configuration, in a separate folder. */
const commands = {
  haproxy: (file: string): [string, string[]] => ['haproxy', ['-db', '-f', file]],
  // Debian's own folders for logs and process ids are not for every user.
  nginx: (file: string, folder: string): [string, string[]] => [
    'nginx',
    ['-p', folder, '-c', file, '-e', 'stderr', '-g', `daemon off; pid ${folder}/pid; error_log stderr;`],
  ],
};

/**
 * Starts HAProxy or nginx with a configuration of the documentation; it goes with the test.
 * @param name what the page saves it as: `haproxy.cfg`, `nginx.conf`
 * @param replicas those that listen on 4011, 4012 and so on there
 * @returns its origin
 */
export async function startBalancer(name: string, replicas: readonly Pick<Replica, 'origin'>[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-balancer-'));
  const port = await freePort();
  const text = savedAs(name).replace(/127\.0\.0\.1:40(\d\d)/g, (_, last) => {
    if (last === '10') return `127.0.0.1:${port}`;
    const { origin } = replicas[Number(last) - 11] as Replica;
    return new URL(origin).host;
  });
  const file = join(folder, name);
  writeFileSync(file, text);
  const [command, args] = commands[name.endsWith('.cfg') ? 'haproxy' : 'nginx'](file, folder);
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'exit');
  atEnd(async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });
  const origin = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => {
    if (child.exitCode !== null) throw new Error(`${command} ended: ${errors}`);
    const { status } = await call(`${origin}/__sim/health`);
    if (status !== 200) throw new Error(`expected ${command} to reach a replica, got ${status}: ${errors}`);
  }, patience);
  return origin;
}
