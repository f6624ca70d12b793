import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import { judge } from '../../src/verdict.js';
import { runPrograms, sending } from '../support/client-lab.js';
import { found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';

const wall: Scenario = { windows: { minute: '30s' }, keys: { 'free-key': { usage: { minute: 60 } } } };
const write = { body: { name: 'Rex', categoryId: 1 } };

/** A client that takes the 429 for the end. */
function stopped(scenario: Scenario = wall, call = {}) {
  const sim = frozen(scenario);
  runPrograms(sim, [sending([], call)]);
  return sim;
}
const gaveUp = (scenario: Scenario, end: { hasFailed?: boolean; isInterrupted?: boolean }) => {
  const verdict = judge(stopped(scenario), { isOver: true, end });
  return [verdict.outcome, found(verdict, 'gave-up')?.severity];
};

describe('giving up', () => {
  const strict: Scenario = { ...wall, expect: { fail: ['gave-up'] } };

  test('in silence is a fault: a warning, and a failure where the scenario names it', () => {
    expect(gaveUp(wall, { hasFailed: false })).toEqual(['pass', 'warn']);
    expect(gaveUp(strict, { hasFailed: false })).toEqual(['fail', 'fail']);
  });

  test('loudly is none, unless the scenario asks for the answer', () => {
    expect(gaveUp(wall, { hasFailed: true })).toEqual(['pass', 'info']);
    expect(gaveUp({ ...wall, expect: { fail: ['gave-up', 'early-retry'] } }, { hasFailed: true })).toEqual([
      'pass',
      'info',
    ]);
    expect(gaveUp({ ...wall, expect: { served: true } }, { hasFailed: true })).toEqual(['fail', 'fail']);
  });

  test('is loud where the client reports its call, whatever the exit code', () => {
    const sim = stopped(strict, { headers: { 'x-sim-call': 'a' } });
    sim.journal.report({ call: 'b', result: 'failed' });
    expect(found(judge(sim, { isOver: true, end: { hasFailed: false } }), 'gave-up')?.severity).toBe('fail');
    sim.journal.report({ call: 'a', result: 'failed' });
    const told = found(judge(sim, { isOver: true, end: { hasFailed: false } }), 'gave-up');
    expect(told).toMatchObject({ severity: 'info', text: expect.stringContaining('Its caller was told.') });
    sim.journal.clear();
    expect(sim.journal.outcomes).toEqual([]);
  });

  test('of a write is the same', () => {
    const verdictOf = (hasFailed: boolean) => judge(stopped(wall, write), { isOver: true, end: { hasFailed } });
    expect(found(verdictOf(false), 'lost-write')?.severity).toBe('warn');
    expect(found(verdictOf(true), 'lost-write')?.severity).toBe('info');
  });
});

describe('a client that is stopped', () => {
  const interrupted = { isOver: true, end: { isInterrupted: true } };

  test('in the wait that it was asked for is still waiting: inconclusive, and said so', () => {
    const sim = stopped({ ...wall, expect: { served: true } });
    sim.clock.advance('12s');
    const verdict = judge(sim, interrupted);
    expect(verdict.outcome).toBe('inconclusive');
    expect(verdict.reason).toBe(
      'The run was stopped while the client waited as it was asked to, 18.0 s before the end of that wait: give it more time with --timeout.',
    );
    expect(found(verdict, 'gave-up')).toBeUndefined();
  });

  test('some time after that wait may have been about to come back: inconclusive, and accused of nothing', () => {
    for (const call of [{}, write]) {
      const sim = stopped({ ...wall, expect: { served: true } }, call);
      sim.clock.advance('55s');
      const { outcome, reason, findings } = judge(sim, interrupted);
      expect([outcome, findings]).toEqual(['inconclusive', []]);
      expect(reason).toBe(
        'The run was stopped 25.0 s after the wait that the client was asked for, and it had not come back yet: give it more time with --timeout.',
      );
    }
  });

  test('before it came back from a refusal that named no time is no other: inconclusive', () => {
    const sim = stopped({
      ...wall,
      expect: { served: true },
      hostileHeaders: { retryAfter: 'missing', reset: 'missing' },
    });
    sim.clock.advance('65s');
    const { outcome, reason, findings } = judge(sim, interrupted);
    expect([outcome, findings]).toEqual(['inconclusive', []]);
    expect(reason).toBe(
      'The run was stopped before the client came back from a refusal: give it more time with --timeout.',
    );
  });

  test('long after that wait has given up, and the finding says how long it had', () => {
    const sim = stopped({ ...wall, expect: { served: true } });
    sim.clock.advance('80s');
    const verdict = judge(sim, interrupted);
    expect(verdict.outcome).toBe('fail');
    expect(found(verdict, 'gave-up')?.text).toBe(
      'GET /pets was refused with 429 and not sent again. It had 50.0 s for that after the wait, until the run was stopped.',
    );
  });

  test('is judged for what it did wrong before', () => {
    const sim = frozen(wall);
    runPrograms(sim, [sending([2_000])]);
    expect(judge(sim, interrupted).outcome).toBe('fail');
  });
});

describe('late-request', () => {
  test('finds a request after the caller gave up, and needs to be told when', () => {
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

describe('what a scenario needs', () => {
  const needs = (client: Scenario['client'], ...calls: object[]) => {
    const sim = frozen({ ...wall, expect: { fail: ['early-retry'] }, ...(client && { client }) });
    for (const call of calls) runPrograms(sim, [sending([], call)]);
    return judge(sim, { isOver: true }).unmet;
  };

  test('is named where the client did not do it, apart from inconclusive', () => {
    expect(needs({ operation: 'createPet' }, {})).toBe('a POST /pets');
    expect(needs({ operation: 'createPet' }, write)).toBeUndefined();
    expect(needs({ key: 'pro-key' }, {})).toBe('the API key that it hands out');
    expect(needs({ key: 'pro-key', calls: 2 }, { key: 'pro-key' })).toBe('2 calls, and got 1');
    expect(needs(undefined, {})).toBeUndefined();
  });

  test('is met by a client that stopped because it was refused', () => {
    expect(needs({ calls: 20 }, {})).toBeUndefined();
  });
});
