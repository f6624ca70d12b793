import { expect, test } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { judge } from '../../src/verdict.js';
import { frozen, noon } from '../support/frozen.js';
import { send } from '../support/plain-call.js';

const noonMs = Date.parse(noon);

/** A client that retries ten seconds after a refusal, which is far too early. */
function refusedTwice(): Simulator {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: 60 } } } });
  send(sim);
  sim.clock.advance('10s');
  send(sim);
  return sim;
}

type Times = readonly (readonly [fromMs: number, toMs: number])[];

const awayAt = (sim: Simulator, times: Times) => {
  coreOf(sim).state.journal.outages = times.map(([fromMs, toMs]) => ({
    fromMs: noonMs + fromMs,
    toMs: noonMs + toMs,
    refused: 2,
  }));
};

const awayFor = (sim: Simulator, fromMs: number, toMs: number) => awayAt(sim, [[fromMs, toMs]]);

test('a finding that an outage may explain is dropped, and the verdict gives the reason', () => {
  const sim = refusedTwice();
  expect(judge(sim)).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry' }] });
  // Between the two requests, the client may have received another response.
  awayFor(sim, 3_000, 5_000);
  expect(judge(sim)).toMatchObject({
    outcome: 'inconclusive',
    reason:
      'The store was unavailable between 2026-01-01T12:00:03.000Z and 2026-01-01T12:00:05.000Z: 2 requests got a 503 without a journal entry.',
    findings: [],
  });
});

test.each([
  ['begins with the last request', 10_000, 12_000, []],
  ['begins after the last request', 10_001, 12_000, ['early-retry']],
  ['ends with the first request', -2_000, 0, []],
  ['ends before the first request', -2_000, -1, ['early-retry']],
])('an outage that %s', (_, fromMs, toMs, codes) => {
  const sim = refusedTwice();
  awayFor(sim, fromMs, toMs);
  expect(judge(sim).findings.map(({ code }) => code)).toEqual(codes);
});

test('findings at other times still count', () => {
  const sim = refusedTwice();
  sim.clock.advance('1m');
  awayFor(sim, 20_000, 30_000);
  expect(judge(sim)).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry' }] });
});

test('a run with an outage does not pass, and a new run starts when the journal is cleared', () => {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: 60 } } } });
  send(sim);
  sim.clock.advance('61s');
  send(sim);
  expect(judge(sim).outcome).toBe('pass');
  awayFor(sim, 62_000, 63_000);
  expect(judge(sim).outcome).toBe('inconclusive');
  sim.journal.clear();
  expect(judge(sim).reason).toBe('No requests received.');
});

/** Expected text for an outage from `1` to `3` seconds after noon. */
const between = (from: number, to: number) => `between 2026-01-01T12:00:0${from}.000Z and 2026-01-01T12:00:0${to}.000Z`;

test.each<[string, Times, string]>([
  [
    'two outages with a working period between them',
    [
      [1_000, 2_000],
      [4_000, 5_000],
    ],
    `${between(1, 2)} and ${between(4, 5)}: 4 requests`,
  ],
  [
    'overlapping outages, as two replicas report one, in another order',
    [
      [3_000, 4_000],
      [1_000, 3_000],
      [2_000, 2_500],
      [6_000, 7_000],
    ],
    `${between(1, 4)} and ${between(6, 7)}: 8 requests`,
  ],
  [
    'three times',
    [
      [1_000, 2_000],
      [3_000, 4_000],
      [5_000, 6_000],
    ],
    `${between(1, 2)}, ${between(3, 4)} and ${between(5, 6)}: 6 requests`,
  ],
  [
    'more than three times',
    [
      [1_000, 2_000],
      [3_000, 4_000],
      [5_000, 6_000],
      [7_000, 8_000],
    ],
    `${between(1, 2)}, ${between(3, 4)}, ${between(5, 6)} and 1 more time: 8 requests`,
  ],
])('the reason names %s', (_, times, expected) => {
  const sim = frozen();
  send(sim);
  awayAt(sim, times);
  expect(judge(sim).reason).toBe(`The store was unavailable ${expected} got a 503 without a journal entry.`);
});
