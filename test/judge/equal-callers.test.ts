import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import type { FindingCode } from '../../src/entries/verdict.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { later, type Program, retryAfter, retrying, sending, verdictOn } from '../support/client-lab.js';
import { blamed, found } from '../support/findings.js';
import type { PlainCall } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

// Declared concurrent callers whose calls are equal and have no name, at a wall of the minute.

const asked = (calls: number, parallel: number, used: number = documentedPlans.free.minute): Scenario => ({
  windows: { minute: '30s' },
  ban: 'off',
  keys: { 'free-key': { usage: { minute: used } } },
  client: { key: 'free-key', calls, parallel },
});
const waits = retrying((answer) => retryAfter(answer) * 1_000 + 20);
const refusedAtFirst = (first: number) => ({
  when: { first },
  then: { respond: { status: 429, headers: { 'Retry-After': '5' } } },
});
const codes = (scenario: Scenario, ...programs: Program[]): FindingCode[] => blamed(verdictOn(scenario, ...programs));

describe('a caller that waits is not blamed for the next call of another', () => {
  test('that starts during the wait', () => {
    const verdict = verdictOn(asked(2, 2), waits, later(1_500, waits));
    expect([verdict.outcome, blamed(verdict)]).toEqual(['pass', ['no-shared-gate']]);
    expect(found(verdict, 'no-shared-gate')).toMatchObject({ severity: 'warn', requests: [2] });
  });

  test('that has made other calls before', () => {
    const busy: Program = function* (lab) {
      lab.send();
      yield 2_000;
      lab.send();
      yield 2_500;
      yield* waits(lab);
    };
    expect(codes(asked(4, 2, perMinute - 2), busy, later(3_000, waits))).toEqual(['no-shared-gate']);
  });

  test('that is given up, as is the first', () => {
    expect(codes(asked(2, 2), sending([]), later(1_500, sending([])))).not.toContain('early-retry');
  });

  test('among calls of several kinds', () => {
    const of = (limit: number) => ({ query: `limit=${limit}` });
    const busy = sending([10, 1_500, 30_000], of(1));
    expect(
      codes(asked(6, 3, perMinute - 3), busy, sending([], of(2)), later(3_500, sending([30_000], of(1)))),
    ).not.toContain('early-retry');
  });

  test('that starts during the second wait of the first', () => {
    const stubborn: Scenario = { ...asked(2, 2, 0), faults: [refusedAtFirst(3)] };
    expect(codes(stubborn, waits, later(6_500, waits))).toEqual(['no-shared-gate']);
  });

  test('beside a call with a name that is refused twice', () => {
    const named = retrying((answer) => retryAfter(answer) * 1_000 + 20, {
      query: 'limit=5',
      headers: { 'x-sim-call': 'a' },
    });
    const scenario: Scenario = { ...asked(3, 3, 0), faults: [refusedAtFirst(3)] };
    expect(codes(scenario, named, later(6_000, waits), later(7_500, waits))).not.toContain('early-retry');
  });

  test('just as if the calls had names', () => {
    const named = (call: string): PlainCall => ({ headers: { 'x-sim-call': call } });
    const programs = ['a', 'b', 'c'].map((call, at) =>
      later(
        at * 1_500,
        retrying((answer) => retryAfter(answer) * 1_000 + 20, named(call)),
      ),
    );
    const unnamed = [0, 1_500, 3_000].map((ms) => later(ms, waits));
    expect(codes(asked(3, 3), ...unnamed)).toEqual(codes(asked(3, 3), ...programs));
  });
});

test('a punctual retry is evidence, although another caller is free', () => {
  const twice: Scenario = { ...asked(2, 2, 0), faults: [refusedAtFirst(2)] };
  expect(verdictOn(twice, waits, later(20_000, waits)).exercised).toContain('early-retry');
});

describe('an early retry is found', () => {
  test('if more requests than callers arrive during the wait', () => {
    expect(codes(asked(9, 2), waits, sending([1_500]))).toContain('early-retry');
    expect(codes(asked(9, 3), sending([1_500, 1_500, 1_500]))).toContain('early-retry');
  });

  test('if every call that the scenario asks for has an answer or waits', () => {
    // Three of four calls succeed, so no caller is left but the refused one.
    const once = sending([]);
    expect(codes(asked(4, 4, perMinute - 3), once, once, once, sending([1_500]))).toContain('early-retry');
    expect(codes(asked(5, 4, perMinute - 3), once, once, once, sending([1_500]))).not.toContain('early-retry');
  });

  test('if the calls differ, so that an equal request is a retry', () => {
    const of = (limit: number) => ({ query: `limit=${limit}` });
    expect(codes(asked(4, 4), sending([], of(1)), sending([1_500], of(2)))).toContain('early-retry');
  });
});
