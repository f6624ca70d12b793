import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { documentedPlans } from '../../src/petstore/document.js';
import {
  type Program,
  ran,
  retryAfter,
  retrying,
  runPrograms,
  sending,
  verdictOn,
  wall,
} from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';

const { minute: perMinute } = documentedPlans.free;

const write = { body: { name: 'Rex', categoryId: 1 } };

/** A client that gives up on a 429. */
const stopped = (scenario = wall, call = {}) => ran(scenario, sending([], call));
const gaveUp = (scenario: Scenario, end: { hasFailed?: boolean; isInterrupted?: boolean }) => {
  const verdict = judge(stopped(scenario), { isOver: true, end });
  return [verdict.outcome, found(verdict, 'gave-up')?.severity];
};

describe('giving up', () => {
  const strict: Scenario = { ...wall, expect: { fail: ['gave-up'] } };

  test('silently is a warning, or a failure if the scenario names it', () => {
    expect(gaveUp(wall, { hasFailed: false })).toEqual(['pass', 'warn']);
    expect(gaveUp(strict, { hasFailed: false })).toEqual(['fail', 'fail']);
  });

  test('with an error for the caller is allowed, unless the scenario requires a successful response', () => {
    expect(gaveUp(wall, { hasFailed: true })).toEqual(['pass', 'info']);
    expect(gaveUp({ ...wall, expect: { fail: ['gave-up', 'early-retry'] } }, { hasFailed: true })).toEqual([
      'pass',
      'info',
    ]);
    expect(gaveUp({ ...wall, expect: { served: true } }, { hasFailed: true })).toEqual(['fail', 'fail']);
  });

  test("is reported by the client's own outcome, regardless of the exit code", () => {
    const sim = stopped(strict, { headers: { 'x-sim-call': 'a' } });
    sim.journal.report({ call: 'b', result: 'failed' });
    expect(found(judge(sim, { isOver: true, end: { hasFailed: false } }), 'gave-up')?.severity).toBe('fail');
    sim.journal.report({ call: 'a', result: 'failed' });
    const told = found(judge(sim, { isOver: true, end: { hasFailed: false } }), 'gave-up');
    expect(told).toMatchObject({ severity: 'info', text: expect.stringContaining('The caller got an error.') });
    sim.journal.clear();
    expect(sim.journal.outcomes).toEqual([]);
  });

  test('a write follows the same rules', () => {
    const verdictOf = (hasFailed: boolean) => judge(stopped(wall, write), { isOver: true, end: { hasFailed } });
    expect(found(verdictOf(false), 'lost-write')?.severity).toBe('warn');
    expect(found(verdictOf(true), 'lost-write')?.severity).toBe('info');
  });
});

describe('a client stopped from outside', () => {
  const interrupted = { isOver: true, end: { isInterrupted: true } };

  test('during the required wait is inconclusive', () => {
    const sim = stopped({ ...wall, expect: { served: true } });
    sim.clock.advance('12s');
    const verdict = judge(sim, interrupted);
    // The client had no opportunity to retry too early.
    expect(verdict.exercised).not.toEqual(expect.arrayContaining(['early-retry']));
    expect(verdict.exercised).not.toEqual(expect.arrayContaining(['ban-tripped']));
    expect(verdict.outcome).toBe('inconclusive');
    expect(verdict.reason).toBe(
      'The run was stopped during the required wait, 18.0 s before its end: allow more time.',
    );
    expect(found(verdict, 'gave-up')).toBeUndefined();
  });

  test('during a wait of a day is advised to limit the wait instead of the test', () => {
    const sim = stopped({ keys: { 'free-key': { usage: { day: 1000 } } }, expect: { served: true } });
    sim.clock.advance('12s');
    expect(judge(sim, interrupted)).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringMatching(
        /, \d[\d.]* h before its end: limit the client's wait, and fail with an error instead\.$/,
      ),
    });
  });

  test('shortly after the wait is inconclusive, without findings', () => {
    for (const call of [{}, write]) {
      const sim = stopped({ ...wall, expect: { served: true } }, call);
      sim.clock.advance('55s');
      const { outcome, reason, findings } = judge(sim, interrupted);
      expect([outcome, findings]).toEqual(['inconclusive', []]);
      expect(reason).toBe(
        'The run was stopped 25.0 s after the required wait, before the client retried: allow more time.',
      );
    }
  });

  test('after a refusal without a promised time is inconclusive', () => {
    const sim = stopped({
      ...wall,
      expect: { served: true },
      hostileHeaders: { retryAfter: 'missing', reset: 'missing' },
    });
    sim.clock.advance('65s');
    const { outcome, reason, findings } = judge(sim, interrupted);
    expect([outcome, findings]).toEqual(['inconclusive', []]);
    expect(reason).toBe('The run was stopped before the client retried a refused request: allow more time.');
  });

  test('long after the wait has given up, and the finding states the time it had', () => {
    const sim = stopped({ ...wall, expect: { served: true } });
    sim.clock.advance('80s');
    const verdict = judge(sim, interrupted);
    expect(verdict.outcome).toBe('fail');
    expect(found(verdict, 'gave-up')?.text).toBe(
      'GET /pets was refused with 429 and not sent again. After the required wait, the client had 50.0 s to retry before the run was stopped.',
    );
  });

  test('without a response may have been waiting, and is advised to set a timeout', () => {
    const hangs: Scenario = { faults: [{ when: { first: 1 }, then: { hang: true } }] };
    const judgedAfter = (duration: string) => {
      const sim = stopped({ ...hangs, expect: { served: true } });
      sim.clock.advance(duration);
      return judge(sim, interrupted);
    };
    expect(judgedAfter('4s').reason).toBe(
      "Responses were lost, and no request shows the client's reaction before it was stopped: if the client was still waiting, it needs a timeout of its own.",
    );
    expect(found(judgedAfter('1h'), 'gave-up')?.text).toBe(
      'GET /pets was left without a usable response and not sent again. The run was stopped 60 min later. If the client was still waiting for the response, it needs a timeout of its own.',
    );
  });

  test('is judged for earlier faults', () => {
    const sim = ran(wall, sending([2_000]));
    expect(judge(sim, interrupted).outcome).toBe('fail');
  });
});

describe('late-request', () => {
  test('finds a request after its caller gave up, if that time was reported', () => {
    const sim = stopped();
    sim.clock.advance('2s');
    sim.journal.report({ call: undefined, result: 'aborted' });
    expect(judge(sim).exercised).toContain('late-request');
    expect(found(judge(sim), 'late-request')).toBeUndefined();
    sim.clock.advance('28s');
    runPrograms(sim, [sending([])]);
    expect(found(judge(sim), 'late-request')).toMatchObject({ severity: 'warn', requests: [2] });
    const silent = frozen(wall);
    runPrograms(silent, [sending([30_000])]);
    expect(judge(silent).exercised).not.toContain('late-request');
  });
});

describe('the requirements of a scenario', () => {
  const needs = (client: Scenario['client'], ...calls: object[]) => {
    const sim = frozen({ ...wall, expect: { fail: ['early-retry'] }, ...(client && { client }) });
    for (const call of calls) runPrograms(sim, [sending([], call)]);
    return judge(sim, { isOver: true }).unmet;
  };

  test('are named if the client did not meet them, separately from the outcome', () => {
    expect(needs({ operation: 'createPet' }, {})).toBe('a POST /pets');
    expect(needs({ operation: 'createPet' }, write)).toBeUndefined();
    expect(needs({ key: 'pro-key' }, {})).toBe("requests with the scenario's API key");
    expect(needs({ key: 'pro-key', calls: 2 }, { key: 'pro-key' })).toBe('2 calls, got 1');
    expect(needs(undefined, {})).toBeUndefined();
  });

  test('are met by a client that stopped because of a refusal', () => {
    expect(needs({ calls: 20 }, {})).toBeUndefined();
  });

  describe('retries do not count as further calls', () => {
    const asked = (calls: number, waits: readonly number[]) =>
      verdictOn({ ...wall, client: { key: 'free-key', calls }, expect: { served: true } }, sending(waits));

    test('one call that was refused and then succeeded is not blamed for missing calls', () => {
      for (const calls of [2, 3]) {
        const { outcome, unmet, findings } = asked(calls, [30_000]);
        expect([outcome, unmet, findings]).toEqual(['inconclusive', `${calls} calls, got 1`, []]);
      }
      expect(asked(1, [30_000]).outcome).toBe('pass');
    });

    test('the reported number of calls excludes retries', () => {
      expect(asked(4, [30_000, 100]).unmet).toBe('4 calls, got 2');
      expect(asked(2, [30_000, 100])).toMatchObject({ outcome: 'pass', findings: [] });
    });

    test('a call given up for the next call still fails', () => {
      const verdict = asked(3, [30_000, 100]);
      expect([verdict.outcome, verdict.unmet]).toEqual(['fail', undefined]);
      expect(found(verdict, 'gave-up')?.measured).toBe('3 calls, 2 usable responses');
    });
  });

  describe('required concurrent calls', () => {
    const herd = (usage: number, ...programs: Program[]) =>
      verdictOn(
        {
          windows: { minute: '30s' },
          keys: { 'free-key': { usage: { minute: usage } } },
          client: { key: 'free-key', calls: 4, parallel: 4 },
          expect: { served: true },
        },
        ...programs,
      );
    const waiting = retrying((answer) => retryAfter(answer) * 1_000 + 10);

    test('are not met by sequential calls', () => {
      const verdict = herd(perMinute, sending([30_000, 10, 10, 10]));
      expect([verdict.outcome, verdict.unmet]).toEqual(['inconclusive', '4 concurrent calls, got sequential calls']);
    });

    test('are met if each caller waits, or if enough calls came before the first wait', () => {
      expect(herd(perMinute, waiting, waiting, waiting, waiting)).toMatchObject({ outcome: 'pass' });
      expect(herd(perMinute - 3, sending([10, 10, 10, 30_000])).unmet).toBeUndefined();
    });

    test('are not required of a client that does not wait, which is judged for that', () => {
      expect(herd(perMinute, sending([1_000, 1_000, 30_000, 10])).outcome).toBe('fail');
    });
  });
});
