import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyExample, type ExampleCopy } from '../support/example.js';

const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

let example: ExampleCopy;
beforeAll(async () => {
  example = await copyExample('vitest-client');
}, 180_000);
afterAll(() => example?.remove());

test('its tests pass: the right client behaves, and the wrong one is found out', { timeout: 60_000 }, async () => {
  const report = JSON.parse(await example.run('npx', ['vitest', 'run', '--reporter', 'json']));
  expect(report).toMatchObject({ numPassedTests: 6, numFailedTests: 0, numPendingTests: 0 });
});

test('TypeScript knows the fixtures and matchers from the installed package', { timeout: 60_000 }, async () => {
  expect(await example.run(process.execPath, [tsc, '--project', '.'])).toBe('');
});
