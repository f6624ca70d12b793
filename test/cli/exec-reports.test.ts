import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../support/command-line.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'petstore-sim-reports-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a file in the place of the report's folder. */
const exit = (code: number, gone: string) => [
  '--',
  process.execPath,
  '-e',
  `const { rmdirSync, writeFileSync } = require('node:fs'); const gone = ${JSON.stringify(gone)};
   rmdirSync(gone); writeFileSync(gone, ''); process.exit(${code})`,
];

test.each([
  ['keeps the exit code of the command', 7, 7],
  ['ends with 2 where the command ended well', 0, 2],
])('exec with a report that cannot be written any more %s, and writes the others', async (_, code, expected) => {
  const junit = join(folder, `junit-${code}.xml`);
  const gone = join(folder, `reports-${code}`);
  mkdirSync(gone);
  const missing = join(gone, 'report.html');
  const result = await runCommandLine(['exec', '--report', missing, '--junit', junit, ...exit(code, gone)]);
  expect(result.code).toBe(expected);
  expect(result.err).toContain(`petstore-sim: expected --report to name a file that can be written, got "${missing}"`);
  expect(result.err).not.toMatch(/\n\s+at /);
  expect(existsSync(junit)).toBe(true);
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite');
});

test('exec finds out before the run that a report cannot be written', async () => {
  const command = ['--', process.execPath, '-e', 'console.log("ran")'];
  writeFileSync(join(folder, 'file'), '');
  for (const report of [join(folder, 'file/verdict.json'), folder, '']) {
    const { code, out, err } = await runCommandLine(['exec', '--verdict', report, ...command]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('expected --verdict to name a file that can be written');
  }
});

test('exec makes the folder of a report', async () => {
  const junit = join(folder, 'made/by/exec.xml');
  await runCommandLine(['exec', '--junit', junit, '--', process.execPath, '-e', '0']);
  expect(readFileSync(junit, 'utf8')).toContain('<testsuite');
});
