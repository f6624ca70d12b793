// @module-tag extended
// @module-tag needs/redis
// @module-tag needs/haproxy
// @module-tag needs/curl
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cli } from '../support/command-line.js';
import { freePort } from '../support/free-port.js';
import { codeBlocks, userPage } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';
import { call } from './calls.js';

const run = promisify(execFile);
const page = userPage('docs/many-replicas.md');

/** Whether a command of the page starts a server. */
const isServer = (command: string) => /^(redis-server|haproxy|nginx|npx petstore-sim --port)/.test(command);

const isReady = async (port = 0) =>
  (await run('redis-cli', ['-p', `${port}`, 'PING']).catch(() => ({ stdout: '' }))).stdout.startsWith('PONG');

test('two replicas and a proxy run as the page shows', async () => {
  const folder = newFolder();
  const ports = new Map<string, number>();
  for (const port of ['4010', '4011', '4012', '6379']) ports.set(port, await freePort());
  const free = (text: string) => text.replace(/\b(4010|4011|4012|6379)\b/g, (port) => `${ports.get(port)}`);
  const shown = (text: string) => [...ports].reduce((all, [port, own]) => all.replaceAll(`${own}`, port), text);
  for (const { saveAs, text } of codeBlocks(page))
    if (saveAs !== undefined) writeFileSync(join(folder, saveAs), free(text));

  const started: ChildProcess[] = [];
  const start = async (command: string, url: string) => {
    const own = free(command).replace('npx petstore-sim', `'${process.execPath}' '${cli}'`);
    // Replaces bash, so that the signal reaches the command.
    const child = spawn('bash', ['-c', `exec ${own}`], { cwd: folder, stdio: 'ignore' });
    started.push(child);
    await vi.waitUntil(async () => {
      if (child.exitCode !== null) throw new Error(`expected to run: ${command}`);
      return url === '' ? isReady(ports.get('6379')) : (await call(url)).status === 200;
    }, patience);
    return child;
  };
  onTestFinished(async () => {
    for (const child of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  const block = codeBlocks(page).find(({ language }) => language === 'console');
  const steps =
    block?.text
      .replace(/ \\\n +/g, ' ')
      .split(/^\$ /m)
      .slice(1) ?? [];
  const replicas: ChildProcess[] = [];
  for (const step of steps) {
    const [command = '', ...output] = step.split('\n');
    if (!isServer(command)) {
      const { stdout } = await run('bash', ['-c', free(command).replace('curl ', 'curl -s ')], { cwd: folder });
      expect(shown(stdout).trim()).toBe(output.join('\n').trim());
      continue;
    }
    const port = /--port (\d+)/.exec(command)?.[1] ?? '4010';
    const child = await start(command, port === '6379' ? '' : free(`http://127.0.0.1:${port}/__sim/health`));
    if (command.startsWith('npx')) replicas.push(child);
  }
  expect(replicas).toHaveLength(2);

  // The active replica is killed during the run.
  const origin = free('http://127.0.0.1:4010');
  const answers = Array.from({ length: 300 }, (_, n) => async () => {
    if (n === 100) replicas[0]?.kill('SIGKILL');
    return (await call(`${origin}/v1/pets?limit=1`, { key: 'pro-key' })).status;
  });
  const seen: (number | undefined)[] = [];
  for (const next of answers) seen.push(await next());
  expect(seen.filter((status) => status !== 200).length).toBeLessThanOrEqual(2);
});
