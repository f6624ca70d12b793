import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { certifySdk } from '../../src/cli/certify/certificate.js';
import { certificateJunit } from '../../src/cli/certify/certificate-junit.js';
import { certificateMarkdown } from '../../src/cli/certify/certificate-markdown.js';
import { resolveForClient, runClient } from '../../src/cli/client-run.js';
import { detailOf, isUndecided, runGauntlet } from '../../src/cli/gauntlet-run.js';
import { busyMark } from '../../src/judge/lag.js';
import { junitReport } from '../../src/judge/report/junit.js';
import { terminalReport } from '../../src/judge/report/terminal.js';
import { resultOf } from '../../src/judge/run-result.js';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import { block } from '../support/block.js';
import { retryingProgram } from '../support/client-program.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();
const noteFile = join(folder, 'runs.txt');

/** A client that waits exactly as long as Retry-After requires, and notes each run in a file. */
const clientFile = join(folder, 'client.mjs');
writeFileSync(
  clientFile,
  `import { appendFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(noteFile)}, 'run\\n');
${retryingProgram('1000 * retryAfter')}`,
);
const command = [process.execPath, clientFile];
const scenario: Scenario = { windows: { minute: '2s' }, keys: { 'free-key': { usage: { minute: 60 } } } };

let blocking: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(blocking));

/** Keeps this process busy for 1.5 s at the start of each run, as a machine under load does, until told otherwise. */
function keepBusy(): () => void {
  writeFileSync(noteFile, '');
  let seen = '';
  blocking = setInterval(() => {
    const noted = readFileSync(noteFile, 'utf8');
    if (noted === seen) return;
    seen = noted;
    block(1_500);
  }, 5);
  return () => clearInterval(blocking);
}

const runs = (results: Awaited<ReturnType<typeof runGauntlet>>) => results.flat();
const run = (onDone: (done: number) => void) =>
  runGauntlet([{ command }], [{ name: 'used-up', scenario }], { timeoutMs: 60_000, onDone });

test('a run that a lag could have decided runs again alone, and only its second outcome counts', async () => {
  const calm = keepBusy();
  const [result] = runs(await run(calm));
  expect(readFileSync(noteFile, 'utf8')).toBe('run\nrun\n');
  expect(result).toMatchObject({ outcome: 'pass' });
  // The machine that runs the tests may be busy itself.
  expect(result?.lagMs ?? 0).toBeLessThan(1_400);
});

test('a run that a lag could have decided twice is marked, in rows and in the certificate', async () => {
  keepBusy();
  const [result] = runs(await run(() => {}));
  if (result === undefined) throw new Error('expected a result');
  expect(result).toMatchObject({ outcome: 'pass', lagMs: expect.any(Number) });
  const mark = busyMark(result.lagMs as number);
  expect(result.lagMs).toBeGreaterThan(1_400);
  expect(mark).toMatch(/^machine was busy \(lag \d+\.\d s\)$/);
  expect(detailOf(result)).toBe(mark);

  const sdk = { name: 'mine', command, folder, version: undefined };
  const certified = certifySdk(sdk, undefined, [result], [{ name: 'used-up', scenario }], {});
  expect(certified.results[0]).toMatchObject({ outcome: 'pass', detail: mark, lagMs: result.lagMs });
  const certificate = {
    date: '2026-01-02T03:04:05Z',
    petstoreSim: '0.1.0',
    node: 'v20',
    platform: 'linux',
    counts: certified.counts,
    scenarios: [{ name: 'used-up', group: 'own' }],
    sdks: [certified],
  };
  expect(certificateMarkdown(certificate)).toContain(`| mine | used-up | pass | ${mark} |`);
  expect(certificateJunit(certificate, false)).toContain(mark);
  expect(certificateJunit(certificate, false)).toContain('failures="0"');
  expect(certificateJunit(certificate, true)).toContain(`<failure type="inconclusive" message="${mark}">`);
  expect([result, ...certified.results].map(isUndecided)).toEqual([true, true]);
});

test('a verdict that a lag could have decided is inconclusive with --require-conclusive', async () => {
  keepBusy();
  const { verdict, entries, end } = await runClient(command, resolveForClient(scenario), { output: 'keep' });
  const mark = busyMark(verdict.lagMs as number);
  const lenient = resultOf(verdict, { command: end });
  expect(lenient).toMatchObject({ exitCode: 0, headline: 'PASS', failures: [] });
  expect(terminalReport(entries, lenient)).toContain(mark);
  expect(junitReport(entries, lenient)).toContain(mark);
  const strict = resultOf(verdict, { command: end, mustConclude: true });
  expect(strict).toMatchObject({
    exitCode: 1,
    headline: 'PASS (client), failed by --require-conclusive',
    failures: [{ code: 'inconclusive', text: expect.stringContaining(mark) }],
  });
});
