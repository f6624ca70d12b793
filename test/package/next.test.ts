// Next.js is 150 packages and takes a minute to install.
// @module-tag extended
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installProjects, packPackage } from '../support/installed.js';

describe('examples/next', { timeout: 240_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'petstore-sim-next-'));
    const { tarball } = await packPackage(folder);
    await mkdir(join(folder, 'installed'));
    await installProjects(join(folder, 'installed'), tarball, { examples: ['next'], projects: {} });
  }, 240_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test("the simulator of instrumentation.js responds to a server component's fetch, and rejects it over the limit", async () => {
    const env = { ...process.env, NODE_ENV: undefined, NEXT_TELEMETRY_DISABLED: '1' };
    const args = ['next', 'dev', '--hostname', '127.0.0.1', '--port', '0'];
    const child = spawn('npx', args, { cwd: join(folder, 'installed/next'), env, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    try {
      const address = () => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0] ?? 'none yet';
      await expect.poll(address, { timeout: 60_000 }).toMatch(/^http/);
      await expect.poll(() => output, { timeout: 60_000 }).toContain('Ready');
      const page = async () => (await fetch(address())).text();
      expect(await page()).toContain('<li>Rex</li>');
      expect(await page()).toMatch(/Too many requests: try again in (?:<!-- -->)?\d+/);
    } finally {
      // npx starts Next.js as a child process in a process group that contains nothing more.
      process.kill(-(child.pid as number), 'SIGTERM');
    }
  });
});
