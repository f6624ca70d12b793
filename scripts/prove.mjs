// Runs the tests of statistical claims with their full number of repetitions, and notes the results in test/proof.json.
// `npm run prove` runs all of them, which takes long; `npm run prove -- fuzz random` those with one of these words in
// their path.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteProof, read, root } from './repository.mjs';

const words = process.argv.slice(2);

/** Test files that repeat more often if the environment variable `PROVE` is set. */
const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => file.endsWith('.test.ts') && /support\/prove\.js|env\.PROVE/.test(read(file)))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort();
if (files.length === 0) throw new Error(`expected words of test files with a full count, got ${words.join(' ')}`);

const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-prove-'));
let failed = 0;
for (const file of files) {
  const report = join(folder, 'report.json');
  const startMs = Date.now();
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [
    vitest,
    'run',
    file,
    '--testTimeout=3600000',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ];
  spawnSync(process.execPath, args, { cwd: root, env: { ...process.env, PROVE: '1' }, stdio: 'inherit' });
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
  failed += numFailedTests;
  noteProof(file, {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    passed: numPassedTests,
    failed: numFailedTests,
    seconds: Math.round((Date.now() - startMs) / 1000),
  });
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = failed > 0 ? 1 : 0;
