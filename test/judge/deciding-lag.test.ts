import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { decidingLagMs, type MachineLag, markLag } from '../../src/judge/deciding-lag.js';
import { createOtherJudge, judge } from '../../src/judge/judge.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { runToEnd } from '../../src/values/steps.js';
import { type Program, ran, sending, stubborn, wall } from '../support/client-lab.js';
import { blamed } from '../support/findings.js';

const ended = { isOver: true, end: { hasFailed: false } };

/** Runs a client that waits the given times between its requests, and asks which lag decided the outcome. */
function lagged(
  scenario: Scenario,
  waits: readonly number[],
  { timerMs = 0, startMs = 0 }: Partial<MachineLag>,
  ...others: Program[]
) {
  const sim = ran(scenario, sending(waits), ...others);
  const { resolved } = coreOf(sim).state;
  const verdict = judge(sim, ended);
  const run = {
    entries: sim.journal.query(),
    verdict,
    judge: createOtherJudge(sim, undefined, ended),
    windowMs: (resolved.windowSeconds.minute as number) * 1_000,
    periodsMs: resolved.faults.flatMap(({ when }) => when.for ?? []),
  };
  return { verdict, sim, lagMs: runToEnd(decidingLagMs(run, { timerMs, startMs })) };
}

/** Refuses the first request for two seconds. */
const usedUp: Scenario = { ...wall, windows: { minute: '2s' } };
const longWait: Scenario = { ...usedUp, windows: { minute: '20s' } };
/** Refuses every call, with a Retry-After of one second. */
const equalWaits: Scenario = { ...stubborn, expect: { fail: ['no-backoff-growth'] } };

describe('a pass', () => {
  test.each([
    ['could be a retry after 1.7 s', usedUp, [2_020], 340, 340],
    ['is certain without a lag', usedUp, [2_020], 0, undefined],
    ['is certain with a lag within the tolerance of the judge', usedUp, [2_020], 40, undefined],
    ['is certain with a lag that the client waited in addition', usedUp, [2_400], 340, undefined],
    ['is certain with a lag that is small beside the wait', longWait, [20_020], 340, undefined],
    ['could be a retry after 18.9 s', longWait, [20_020], 1_100, 1_100],
    ['could be equal waits that the lag made different', equalWaits, [1_030, 1_350, 1_080, 1_400], 340, 340],
    ['is certain if the waits grow by more than the lag', equalWaits, [1_500, 2_500, 4_500], 340, undefined],
  ])('%s', (_, scenario, waits, timerMs, expected) => {
    const { verdict, lagMs } = lagged(scenario, waits, { timerMs });
    expect(verdict.outcome).toBe('pass');
    expect(lagMs).toBe(expected);
  });
});

describe('a failure', () => {
  test.each([
    ['is certain if the client was far too early', ['early-retry'], usedUp, [20], 340, undefined],
    ['depends on a lag that is longer than the margin', ['early-retry'], usedUp, [1_800, 500], 340, 340],
    ['is certain with a lag that is shorter than the margin', ['early-retry'], usedUp, [1_800, 500], 120, undefined],
    ['is certain if one of its findings is', ['early-retry'], usedUp, [900, 900, 500], 340, undefined],
    [
      'follows from what the lag could have caused',
      ['early-retry', 'ban-tripped'],
      { ...usedUp, ban: { after: 1, for: '10s' } } as Scenario,
      [1_800],
      340,
      340,
    ],
    ['could be waits that grow', ['no-backoff-growth'], equalWaits, [3_700, 2_800, 3_400, 6_100], 1_700, 1_700],
    [
      'is certain if no lag makes the waits grow',
      ['no-backoff-growth'],
      equalWaits,
      [1_010, 1_010, 1_010],
      340,
      undefined,
    ],
  ])('%s', (_, codes, scenario, waits, timerMs, expected) => {
    const { verdict, lagMs } = lagged(scenario, waits, { timerMs });
    expect(verdict.outcome).toBe('fail');
    expect(blamed(verdict)).toEqual(expect.arrayContaining(codes));
    expect(lagMs).toBe(expected);
  });
});

test('a failure does not depend on a lag that only the requests of other clients could add up to', () => {
  const other = (key: string) => sending([900, 900], { key });
  const run = (...others: Program[]) => lagged(usedUp, [1_800, 500], { timerMs: 120 }, ...others);
  expect(run(other('pro-key'), other('business-key')).lagMs).toBeUndefined();
  const together = lagged(usedUp, [1_800, 500], { timerMs: 120 }, sending([1_800, 500]), sending([1_800, 500]));
  expect(together.verdict.outcome).toBe('fail');
  expect(together.lagMs).toBeUndefined();
});

describe('a run without a rejection', () => {
  const one: Scenario = { plans: { free: { minute: 1 } }, windows: { minute: '2s' } };

  test.each([
    ['because the lag used up the window', [2_100], 340, 340],
    ['because the client waited for longer than a window', [2_500], 340, undefined],
    ['because one request is all that it sent', [], 340, undefined],
  ])('%s', (_, waits, timerMs, expected) => {
    const { verdict, lagMs } = lagged(one, waits, { timerMs });
    expect(verdict.outcome).not.toBe('fail');
    expect(lagMs).toBe(expected);
  });

  test('because its start took most of the time in which a fault applies', () => {
    const brief: Scenario = { faults: [{ when: { for: '2s', nth: 5 }, then: { respond: { status: 503 } } }] };
    expect(lagged(brief, [100], { timerMs: 340, startMs: 1_500 }).lagMs).toBe(1_500);
    expect(lagged(brief, [100], { timerMs: 10, startMs: 1_500 }).lagMs).toBeUndefined();
    expect(lagged(brief, [100], { timerMs: 340, startMs: 50 }).lagMs).toBeUndefined();
  });
});

test('a simulator with a frozen clock has no lag', () => {
  const { sim, verdict } = lagged(usedUp, [2_020], {});
  expect(markLag(sim, verdict, ended, { timerMs: 340, startMs: 0 })).toBe(verdict);
});
