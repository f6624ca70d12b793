import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chromiumArguments, findChromium } from '../support/chromium.js';
import { copyExample, type ExampleCopy } from '../support/example.js';

const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const executablePath = findChromium();

let example: ExampleCopy;
beforeAll(async () => {
  example = await copyExample('react');
}, 180_000);
afterAll(() => example?.remove());

test('its unit tests pass with the handlers that development has', { timeout: 60_000 }, async () => {
  const report = JSON.parse(await example.run('npx', ['vitest', 'run', '--reporter', 'json']));
  expect(report).toMatchObject({ numPassedTests: 2, numFailedTests: 0, numPendingTests: 0 });
});

test('its types are right', { timeout: 60_000 }, async () => {
  expect(await example.run(process.execPath, [tsc, '--project', '.'])).toBe('');
});

test.runIf(executablePath)(
  'its tests in Chromium pass, of the built page and of the one in development',
  { timeout: 150_000 },
  async () => {
    const [DEV_PORT, PREVIEW_PORT, PETSTORE_PORT] = await freePorts(3);
    const CHROMIUM_ARGS = [...chromiumArguments, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
    const output = await example.run('npm', ['run', '--silent', 'test:e2e', '--', '--reporter', 'json'], {
      DEV_PORT,
      PREVIEW_PORT,
      PETSTORE_PORT,
      CHROMIUM_PATH: executablePath,
      CHROMIUM_ARGS: JSON.stringify(CHROMIUM_ARGS),
    });
    const { stats } = JSON.parse(output.slice(output.indexOf('\n{')));
    expect(stats).toMatchObject({ expected: 4, unexpected: 0, flaky: 0, skipped: 0 });
  },
);

/** Ports that were free a moment ago: Playwright has to know the addresses of its servers beforehand. */
async function freePorts(count: number): Promise<string[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<string>((resolve) => {
          server.listen(0, '127.0.0.1', () => resolve(String((server.address() as { port: number }).port)));
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
