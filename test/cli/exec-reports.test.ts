import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../support/command-line.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-sim-reports-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const exit = (code: number) => ['--', process.execPath, '-e', `process.exit(${code})`];

test.each([
  ['keeps the exit code of the command', 7, 7],
  ['ends with 2 where the command ended well', 0, 2],
])('exec with a report that cannot be written %s, and writes the others', async (_, code, expected) => {
  const junit = join(folder, `junit-${code}.xml`);
  const missing = join(folder, 'no-such-folder/report.html');
  const result = await runCommandLine(['exec', '--report', missing, '--junit', junit, ...exit(code)]);
  expect(result.code).toBe(expected);
  expect(result.err).toContain(`petstore-sim: expected --report to name a file that can be written, got "${missing}"`);
  expect(result.err).not.toMatch(/\n\s+at /);
  expect(existsSync(junit)).toBe(true);
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite');
});
