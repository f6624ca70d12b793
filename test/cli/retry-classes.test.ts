import { expect, test } from 'vitest';
import type { GauntletResult } from '../../src/cli/gauntlet-run.js';
import { casesOfClasses, classResults, retryClasses } from '../../src/cli/retry-classes.js';
import type { Finding } from '../../src/judge/finding.js';
import { runCommandLine } from '../support/command-here.js';
import { tableRows, userPage } from '../support/markdown.js';

const run = (scenario: string, outcome: GauntletResult['outcome'], findings: Partial<Finding>[] = [], more = {}) =>
  ({ scenario, group: 'limits', outcome, requests: 3, findings, ...more }) as GauntletResult;

const outcomeOf = (name: string, ...results: GauntletResult[]) =>
  classResults(results).find((each) => each.name === name);

test('docs/judging-clients.md lists the classes with their rules and scenarios', () => {
  const named = (text = '') => [...text.matchAll(/`([\w-]+)`/g)].map(([, name]) => name);
  const rows = tableRows(userPage('docs/judging-clients.md'), '| Class |');
  expect(rows.map(([name, , codes, scenarios]) => [name, named(codes), named(scenarios)])).toEqual(
    retryClasses.map(({ name, codes, scenarios }) => [name, [...codes], [...scenarios]]),
  );
});

test('every class but one has shipped scenarios, with an expectation where they have none', () => {
  expect(retryClasses).toHaveLength(16);
  expect(retryClasses.filter(({ scenarios }) => scenarios.length === 0)).toHaveLength(1);
  const cases = casesOfClasses();
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  for (const { name, scenario } of cases) expect(scenario, name).toBeDefined();
  expect(cases.find(({ name }) => name === 'retry-budget')?.scenario.expect).toEqual({ amplification: 1.3 });
});

test('a class fails by a finding of its rules, even a warning, and passes by a run', () => {
  const warned = run('own-mistake', 'inconclusive', [{ code: 'retried-4xx', severity: 'warn' }]);
  const name = 'retries what cannot succeed';
  expect(outcomeOf(name, warned)).toMatchObject({ outcome: 'failed', codes: ['retried-4xx'] });
  const other = run('own-mistake', 'inconclusive', [{ code: 'gave-up', severity: 'fail' }]);
  expect(outcomeOf(name, other)).toMatchObject({ outcome: 'passed' });
  expect(outcomeOf(name, run('401-loop', 'pass'))).toMatchObject({ outcome: 'passed' });
  expect(outcomeOf(name, run('401-loop', 'inconclusive'))).toMatchObject({ outcome: 'not reached' });
  expect(outcomeOf(name, run('own-mistake', 'inconclusive', [], { requests: 0 }))?.outcome).toBe('not reached');
  expect(outcomeOf(name)).toMatchObject({ outcome: 'not reached' });
  expect(outcomeOf('loses track of its jobs')).toMatchObject({ outcome: 'not on the wire' });
});

test('--classes takes no scenarios', async () => {
  const { code, err } = await runCommandLine(['gauntlet', '--classes', 'minute-wall', '--', 'true']);
  expect([code, err]).toEqual([2, expect.stringContaining('expected no scenario with --classes')]);
});
