import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { judgeRun } from '../../src/judge/judge-run.js';
import type { RequestRecord } from '../../src/requests/request-record.js';
import { retryAfter, retrying, runPrograms, sending, wall } from '../support/client-lab.js';
import { blamed, found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';
import { send } from '../support/plain-call.js';

const factsOf = ({ name, scenario: { expect, client }, clock }: Simulator) => ({
  ...{ scenario: name, expect, needs: client },
  nowMs: clock.now(),
});

const soFar = (sim: Simulator) => judgeRun(sim.journal.query(), factsOf(sim));

describe('a judge of a run in progress', () => {
  test('shows a finding as soon as its request arrives, and ends with the verdict of judge', () => {
    const sim = frozen(wall);
    const seen: string[][] = [];
    runPrograms(sim, [
      function* (lab) {
        for (let n = 0; n < 5; n++) {
          lab.send();
          seen.push(blamed(soFar(sim)));
          yield 2_000;
        }
      },
    ]);
    expect(seen).toEqual([
      [],
      ['early-retry'],
      ['early-retry'],
      ['early-retry', 'ban-tripped'],
      ['early-retry', 'ban-tripped', 'ban-hammered'],
    ]);
    expect(judgeRun(sim.journal.query(), { ...factsOf(sim), isOver: true })).toEqual(judge(sim, { isOver: true }));
  });

  test('does not take a client for several callers after a disconnect that the server noticed late', () => {
    const sim = frozen(wall);
    for (let n = 0; n < 3; n++) {
      send(sim);
      sim.clock.advance('2s');
    }
    const judgeOf = (status: number) => {
      const [first, ...others] = sim.journal.query() as [RequestRecord];
      const left = { ...first, status, refusal: undefined, lastArrivedId: 2 };
      return found(judgeRun([left, ...others], factsOf(sim)), 'early-retry')?.measured;
    };
    expect([judgeOf(0), judgeOf(200)]).toEqual(['2.0 s waited', 'at most 2.0 s waited']);
  });

  test('withdraws a finding that a later request explains by another caller', () => {
    const sim = frozen({ ...wall, client: {} });
    const entries = () => sim.journal.query();
    send(sim, { connection: 1, query: 'limit=1' });
    sim.clock.advance('200ms');
    send(sim, { connection: 1, query: 'limit=2' });
    expect(blamed(soFar(sim))).toEqual(['early-retry']);
    send(sim, { connection: 2, query: 'limit=3' });
    expect(entries()).toHaveLength(3);
    expect(soFar(sim)).toEqual(judge(sim));
    expect(found(soFar(sim), 'early-retry')).toBeUndefined();
  });

  test('counts a response that was lost later, and reported outcomes', () => {
    const sim = frozen(wall);
    runPrograms(sim, [sending([1_000, 1_000]), retrying((answer) => retryAfter(answer) * 1000, { query: 'limit=1' })]);
    const facts = { ...factsOf(sim), isOver: true };
    const [first, ...others] = sim.journal.query() as [RequestRecord];
    const verdict = judgeRun([first, ...others], facts);
    expect(verdict).toEqual(judge(sim, { isOver: true }));
    const entries = [{ ...first, finishedAtMs: sim.clock.now(), isAbandoned: true }, ...others];
    expect(judgeRun(entries, facts).counts.lost).toBe(verdict.counts.lost + 1);
    const outcomes = [{ call: undefined, result: 'aborted' as const, atMs: 0 }];
    expect(judgeRun(entries, { ...facts, outcomes }).exercised).toContain('late-request');
  });
});

test('judges one key by its own requests, given in full or by its ending', () => {
  const sim = frozen({ ...wall, client: { key: 'free-key', calls: 2 } });
  runPrograms(sim, [sending([1_000]), sending([10], { key: 'pro-key' })]);
  expect(blamed(judge(sim, { key: 'free-key' }))).toEqual(['early-retry']);
  expect(judge(sim, { key: 'pro-key' })).toMatchObject({ findings: [], counts: { requests: 2, served: 2 } });
  expect(judge(sim, { key: 'pro-key' }).unmet).toBeUndefined();
  expect(judge(sim, { key: '-key' }).counts.requests).toBe(4);
});

describe('callers that retry early, one second after the last refusal', () => {
  /** Requests arrive 1 ms after one another, first the calls and then the early retries; only the first and the last call are answered at once. */
  const early = (callAt: (n: number) => { query?: string }) => {
    const sim = frozen({ ...wall, ban: 'off', client: { parallel: 8 } });
    const entries: RequestRecord[] = [];
    for (let n = 0; n < 16; n++) {
      if (n === 8) sim.clock.advance('1s');
      send(sim, { connection: n % 8, ...callAt(n) });
      const entry = sim.journal.query().at(-1) as RequestRecord;
      entries.push({ ...entry, answeredAtMs: entry.arrivedAtMs + (n > 0 && n < 7 ? 30 : 0) });
      sim.clock.advance('1ms');
    }
    return blamed(judgeRun(entries, factsOf(sim)));
  };

  test('do not count as other calls, because each may be a retry of an equal call', () => {
    expect(early(() => ({}))).toEqual(['early-retry']);
    expect(early((n) => ({ query: `limit=${(n % 8) + 1}` }))).toEqual(['early-retry']);
  });

  test('count as other calls if no equal call was refused', () => {
    expect(early((n) => ({ query: `limit=${n + 1}` }))).toEqual(['no-shared-gate']);
  });
});

describe('callers that queue for one connection', () => {
  /** Each request arrives right after the answer to the one before, which was held for 300 ms. */
  const queue = (requests: number, parallel: number, callAt: (n: number) => { query?: string }) => {
    const sim = frozen({ ...wall, ban: 'off', client: { parallel } });
    const entries: RequestRecord[] = [];
    for (let n = 0; n < requests; n++) {
      send(sim, { connection: 1, ...callAt(n) });
      const entry = sim.journal.query().at(-1) as RequestRecord;
      sim.clock.advance('300ms');
      entries.push({ ...entry, answeredAtMs: sim.clock.now(), heldMs: 300 });
    }
    return judgeRun(entries, factsOf(sim));
  };
  const same = () => ({});
  const other = (n: number) => ({ query: `limit=${n + 1}` });

  test('are not blamed for requests sent before the refusal was received, however long the queue', () => {
    expect(blamed(queue(8, 8, same))).toEqual([]);
    expect(blamed(queue(8, 8, other))).toEqual([]);
  });

  test('have returned once more requests than callers arrived', () => {
    expect(blamed(queue(16, 4, same))).toContain('early-retry');
    expect(blamed(queue(16, 4, other))).toContain('no-shared-gate');
  });
});
