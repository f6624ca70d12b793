import { expect, test } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { judge } from '../../src/verdict.js';
import { frozen, noon } from '../support/frozen.js';
import { send } from '../support/plain-call.js';

const noonMs = Date.parse(noon);

/** A client that retries ten seconds after a refusal, which is far too early. */
function refusedTwice(): Simulator {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: documentedPlans.free.minute } } } });
  send(sim);
  sim.clock.advance('10s');
  send(sim);
  return sim;
}

/** Sets outages: pairs of start and end, in seconds after noon. */
const away = (sim: Simulator, ...seconds: readonly number[]) => {
  const starts = seconds.filter((_, index) => index % 2 === 0);
  coreOf(sim).state.journal.outages = starts.map((from, index) => ({
    fromMs: noonMs + from * 1_000,
    toMs: noonMs + (seconds[2 * index + 1] as number) * 1_000,
    refused: 2,
  }));
};

test('a finding that an outage may explain is dropped, and the verdict gives the reason', () => {
  const sim = refusedTwice();
  expect(judge(sim)).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry' }] });
  // Between the two requests, the client may have received another response.
  away(sim, 3, 5);
  expect(judge(sim)).toMatchObject({
    outcome: 'inconclusive',
    reason:
      'The store was unavailable between 2026-01-01T12:00:03.000Z and 2026-01-01T12:00:05.000Z: 2 requests got a 503 without a journal entry.',
    findings: [],
  });
});

test.each([
  ['begins with the last request', 10, 12, []],
  ['begins after the last request', 10.001, 12, ['early-retry']],
  ['ends with the first request', -2, 0, []],
  ['ends before the first request', -2, -0.001, ['early-retry']],
])('an outage that %s', (_, from, to, codes) => {
  const sim = refusedTwice();
  away(sim, from, to);
  expect(judge(sim).findings.map(({ code }) => code)).toEqual(codes);
});

test('findings at other times still count', () => {
  const sim = refusedTwice();
  sim.clock.advance('1m');
  away(sim, 20, 30);
  expect(judge(sim)).toMatchObject({ outcome: 'fail', findings: [{ code: 'early-retry' }] });
});

test('a run with an outage does not pass, and a new run starts when the journal is cleared', () => {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: documentedPlans.free.minute } } } });
  send(sim);
  sim.clock.advance('61s');
  send(sim);
  expect(judge(sim).outcome).toBe('pass');
  away(sim, 62, 63);
  expect(judge(sim).outcome).toBe('inconclusive');
  sim.journal.clear();
  expect(judge(sim).reason).toBe('No requests received.');
});

/** Expected text for an outage from `1` to `3` seconds after noon. */
const between = (from: number, to: number) => `between 2026-01-01T12:00:0${from}.000Z and 2026-01-01T12:00:0${to}.000Z`;

test.each<[string, string, ...seconds: number[]]>([
  ['two outages with a working period between them', `${between(1, 2)} and ${between(4, 5)}: 4 requests`, 1, 2, 4, 5],
  [
    'overlapping outages, as two replicas report one, in another order',
    `${between(1, 4)} and ${between(6, 7)}: 8 requests`,
    ...[3, 4, 1, 3, 2, 2.5, 6, 7],
  ],
  ['three times', `${between(1, 2)}, ${between(3, 4)} and ${between(5, 6)}: 6 requests`, ...[1, 2, 3, 4, 5, 6]],
  [
    'more than three times',
    `${between(1, 2)}, ${between(3, 4)}, ${between(5, 6)} and 1 more time: 8 requests`,
    ...[1, 2, 3, 4, 5, 6, 7, 8],
  ],
])('the reason names %s', (_, expected, ...seconds) => {
  const sim = frozen();
  send(sim);
  away(sim, ...seconds);
  expect(judge(sim).reason).toBe(`The store was unavailable ${expected} got a 503 without a journal entry.`);
});
