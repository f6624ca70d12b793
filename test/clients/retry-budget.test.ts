import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { resolveForClient, runClient } from '../../src/cli/client-run.js';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import { readScenario } from '../../src/scenario-files/scenario-files.js';
import { found } from '../support/findings.js';

const client = fileURLToPath(new URL('../../examples/clients/axios-retry-budget.mjs', import.meta.url));

/** Runs the example against a scenario, with or without its budget. */
async function run(name: string, budget: 'on' | 'off', changes: Scenario = {}) {
  const scenario = resolveForClient({ ...(await readScenario(name)), ...changes });
  const command = ['env', `RETRY_BUDGET=${budget}`, process.execPath, client];
  return runClient(command, scenario, { output: 'keep', timeoutMs: 60_000 });
}

const limited: Scenario = { expect: { amplification: 1.3 } };

test('a client without a retry budget multiplies its requests while the service is down', async () => {
  const { verdict, output } = await run('retry-budget', 'off', limited);
  expect(verdict, output).toMatchObject({ outcome: 'fail', amplification: { overall: 4 } });
  expect(found(verdict, 'amplification')?.measured).toBe('4 requests per call');
});

test('a client with a retry budget sends hardly more requests than calls, and obeys a limit', async () => {
  const { verdict, end, output } = await run('retry-budget', 'on', limited);
  expect(verdict.outcome, output + verdict.reason).toBe('pass');
  expect(verdict.counts.requests).toBe(36);
  expect(verdict.amplification?.overall).toBe(1.2);
  expect(end.exitCode).toBe(1);
  const wall = await run('minute-wall', 'on', { windows: { minute: '2s' } });
  expect([wall.verdict.outcome, wall.end.exitCode], wall.output).toEqual(['pass', 0]);
});
