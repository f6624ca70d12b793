import { expect, test } from 'vitest';
import {
  type CertifiedOutcome,
  type CertifiedRun,
  countOutcomes,
  countsText,
  notPassed,
  passedPercent,
} from '../../src/cli/certify/certificate.js';
import { certificateBadge } from '../../src/cli/certify/certificate-badge.js';
import { certificateHtml } from '../../src/cli/certify/certificate-html.js';
import { certificateMarkdown } from '../../src/cli/certify/certificate-markdown.js';
import { changesSince, changesText } from '../../src/cli/certify/changes.js';
import { reasonLines } from '../../src/cli/gauntlet-run.js';

const run = (scenario: string, outcome: CertifiedOutcome, detail = ''): CertifiedRun => ({
  scenario,
  outcome,
  detail,
  findings: [],
  exitCode: 0,
  lastedMs: 0,
});
const runs = (passed: number, failed: number) => [
  ...Array.from({ length: passed }, (_, at) => run(`p${at}`, 'pass')),
  ...Array.from({ length: failed }, (_, at) => run(`f${at}`, 'fail', 'early-retry')),
];

test.each<[passed: number, failed: number, percent: number]>([
  [0, 0, 0],
  [2, 1, 66],
  [999, 1, 99],
  [560, 0, 100],
])('the share of %i passed and %i failed runs is %i %%, rounded down', (passed, failed, percent) => {
  const counts = countOutcomes(runs(passed, failed));
  expect(passedPercent(counts)).toBe(percent);
  expect(certificateBadge({ counts })).toContain(`<title>petstore-sim: ${percent}% passed</title>`);
});

test('scenarios that a client did not reach do not lower the share', () => {
  const counts = countOutcomes([...runs(3, 1), run('n', 'not met'), run('m', 'not met')]);
  expect([passedPercent(counts), countsText(counts)]).toEqual([75, '3 of 4 passed, 1 failed, 2 not reached']);
});

test('the badge is green only if every run passed', () => {
  const colorOf = (passed: number, failed: number) =>
    /<rect x="\d+" width="\d+" height="20" fill="(#\w+)"/.exec(
      certificateBadge({ counts: countOutcomes(runs(passed, failed)) }),
    )?.[1];
  const [all, most, none] = [colorOf(1_000, 0), colorOf(999, 1), colorOf(0, 1)];
  expect(new Set([all, most, none]).size).toBe(3);
});

test('runs that did not pass are grouped by reason, except for failures', () => {
  const results = [
    run('a', 'fail', 'early-retry'),
    run('b', 'error', 'No requests received.'),
    run('c', 'pass'),
    run('d', 'error', 'No requests received.'),
    run('e', 'fail', 'early-retry'),
    run('f', 'inconclusive', 'No requests received.'),
  ];
  expect(notPassed({ name: 'sdk', results }).map((group) => group.runs.map(({ scenario }) => scenario))).toEqual([
    ['a'],
    ['b', 'd'],
    ['e'],
    ['f'],
  ]);
});

test('each reason and error output of an SDK stands once, with the number of its scenarios', () => {
  const failed = (scenario: string, ...codes: string[]): CertifiedRun => ({
    ...run(scenario, 'fail', codes.join(', ')),
    findings: codes.map((code) => ({ code, requests: 'request 1', text: `${code} in ${scenario}.` })),
    errorLines: ['Error: out of order'],
  });
  const results = [failed('a', 'early-retry', 'gave-up'), failed('b', 'early-retry'), failed('c', 'early-retry')];
  expect(reasonLines(results, 80)).toEqual([
    ...['', '  early-retry (in 3 scenarios, here a): early-retry in a.'],
    ...['', '  gave-up: gave-up in a.'],
    ...['', '  output of the command: Error: out of order'],
  ]);
  const counts = countOutcomes(results);
  const sdk = { command: 'x', counts, results, remedies: [] };
  const certificate = {
    ...{ date: '2026-01-01T12:00:00.000Z', petstoreSim: '', node: '', platform: '', counts },
    scenarios: ['a', 'b', 'c'].map((name) => ({ name, group: '' })),
    sdks: [
      { ...sdk, name: 'one' },
      { ...sdk, name: 'two' },
    ],
  };
  for (const text of [certificateMarkdown(certificate), certificateHtml(certificate)]) {
    expect(text.match(/in 3 scenarios, here a/g)).toHaveLength(2);
    expect(text.match(/early-retry in a\./g)).toHaveLength(2);
    expect(text).not.toMatch(/early-retry in [bc]\./);
  }
});

test('runs that only one certificate has are new or no longer run', () => {
  const results = (...scenarios: string[]) => scenarios.map((scenario) => ({ scenario, outcome: 'pass' as const }));
  const earlier = {
    date: '',
    sdks: [
      { name: 'a', results: results('kept', 'gone') },
      { name: 'b', results: results('kept') },
    ],
  };
  const sdks = [
    {
      name: 'a',
      command: '',
      counts: countOutcomes([]),
      results: [run('kept', 'pass'), run('new', 'pass')],
      remedies: [],
    },
  ];
  const changes = changesSince(earlier, { sdks });
  expect([changes.added, changes.removed]).toEqual([['a: new'], ['a: gone', 'b: kept']]);
  expect(changesText(changes)).toBe('0 worse, 0 better, 1 new, 2 no longer run');
});

test('a pass is better than a run that shows nothing, and that is better than a failure', () => {
  const order: CertifiedOutcome[][] = [['fail', 'error'], ['inconclusive', 'not met'], ['pass']];
  const all = order.flatMap((outcomes, rank) => outcomes.map((outcome) => ({ outcome, rank })));
  for (const before of all) {
    for (const now of all) {
      const earlier = { date: '', sdks: [{ name: 'a', results: [{ scenario: 's', outcome: before.outcome }] }] };
      const sdks = [
        { name: 'a', command: '', counts: countOutcomes([]), results: [run('s', now.outcome)], remedies: [] },
      ];
      const { worse, better } = changesSince(earlier, { sdks });
      expect([worse.length, better.length], `${before.outcome} -> ${now.outcome}`).toEqual([
        Number(now.rank < before.rank),
        Number(now.rank > before.rank),
      ]);
    }
  }
});
