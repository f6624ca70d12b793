// @module-tag extended
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { nodeBinary } from '../../scripts/fetched-package.mjs';
import { createSimulator } from '../../src/entries/index.js';
import { copyPackage } from '../support/package-copy.js';
import { callsScenario, makeCalls, type Seen } from './calls.js';

const root = join(import.meta.dirname, '../..');

// msw 3 needs Node 22.12. This process has any Node and msw 2, so the tests run in other processes.
let node: string;
beforeAll(async () => {
  node = await nodeBinary(22);
}, 180_000);

describe('the compiled package on msw 3', () => {
  let report: { node: string; msw: string; seen: Seen[] };
  beforeAll(async () => {
    const copy = await copyPackage({ msw: 3 });
    report = (await copy.runScript(node, 'adapters/msw-3-script.ts')) as typeof report;
  });

  test('runs on Node 22 with msw 3', () => {
    expect([report.node, report.msw]).toEqual([expect.stringMatching(/^22\./), expect.stringMatching(/^3\./)]);
  });

  test('responds to every call of the table as sim.fetch does in this process', async () => {
    const sim = createSimulator({ scenario: callsScenario });
    expect(report.seen).toEqual(await makeCalls(sim.fetch, sim));
  });
});

describe('msw.test.ts on msw 3', () => {
  test('passes every test', async () => {
    const config = join(import.meta.dirname, 'msw-3.config.ts');
    const { code, output } = await vitest(['run', '--config', config, '--reporter', 'json']);
    const results = readReport(output);
    expect(results?.failed, output).toEqual([]);
    expect(results?.passed).toBeGreaterThan(50);
    expect(code).toBe(0);
  }, 120_000);
});

function vitest(flags: string[]): Promise<{ code: unknown; output: string }> {
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, NODE_OPTIONS: ____, ...env } = process.env;
  return new Promise((resolve) => {
    const script = join(root, 'node_modules/vitest/vitest.mjs');
    execFile(node, [script, ...flags], { cwd: root, env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });
}

/** The report is one line of JSON among what the tests printed. */
function readReport(output: string): { passed: number; failed: string[] } | undefined {
  const line = output.split('\n').find((text) => text.startsWith('{"numTotalTestSuites"'));
  if (line === undefined) return undefined;
  const { numPassedTests, testResults } = JSON.parse(line);
  const tests: { fullName: string; status: string; failureMessages: string[] }[] = testResults.flatMap(
    ({ assertionResults }: { assertionResults: unknown[] }) => assertionResults,
  );
  const failed = tests.filter(({ status }) => status !== 'passed');
  return {
    passed: numPassedTests,
    failed: failed.map(({ fullName, failureMessages }) => [fullName, ...failureMessages].join('\n')),
  };
}
