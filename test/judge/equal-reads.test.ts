import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { type Program, ran, sending } from '../support/client-lab.js';
import { found } from '../support/findings.js';
import type { PlainCall } from '../support/plain-call.js';

/** The first list is a 503; the scenario requires successful responses to the given number of calls. */
const lost = (calls?: number): Scenario => ({
  faults: [{ when: { first: 1 }, then: { respond: { status: 503 } } }],
  client: { key: 'free-key', ...(calls !== undefined && { calls }) },
  expect: { served: true },
});

const sends = (count: number, calls: readonly PlainCall[] = [{}]): Program =>
  sending(Array(count - 1).fill(1_000), calls);

const judged = (scenario: Scenario, program: Program) =>
  judge(ran(scenario, program), { isOver: true, end: { hasFailed: false } });

const named = (call: string): PlainCall => ({ headers: { 'x-sim-call': call } });

describe('an equal read after a lost response', () => {
  test('is a retry if the client got as many responses as the scenario asks for calls', () => {
    expect(judged(lost(3), sends(4))).toMatchObject({ outcome: 'pass', findings: [] });
  });

  test('is the next call if there are fewer responses, so the lost call was given up', () => {
    const verdict = judged(lost(3), sends(3));
    expect(verdict.outcome).toBe('fail');
    expect(found(verdict, 'gave-up')).toMatchObject({
      severity: 'fail',
      requests: [1],
      measured: '3 calls, 2 usable responses',
      text: expect.stringContaining(
        '3 equal calls were made, but only 2 got a usable response: 1 failed request was not sent again.',
      ),
    });
  });

  test('makes the verdict inconclusive if the number of calls is exceeded or unknown', () => {
    for (const verdict of [judged(lost(3), sends(7)), judged(lost(), sends(3))]) {
      expect([verdict.outcome, found(verdict, 'gave-up')]).toEqual(['inconclusive', undefined]);
      expect(verdict.reason).toMatch(/^Responses were lost, and identical reads followed\. .* retries or new calls\.$/);
    }
  });

  test('is not counted together with reads of other URLs, which may contain the attempt number', () => {
    const others = judged(
      lost(3),
      sends(
        3,
        [1, 2, 3].map((limit) => ({ query: `limit=${limit}` })),
      ),
    );
    expect([others.outcome, found(others, 'gave-up')]).toEqual(['inconclusive', undefined]);
  });

  test('is identified by its name', () => {
    expect(found(judged(lost(), sends(3, ['0', '1', '2'].map(named))), 'gave-up')?.requests).toEqual([1]);
    expect(judged(lost(), sends(3, ['a', 'a', 'b'].map(named)))).toMatchObject({ outcome: 'pass', findings: [] });
  });

  test('is a retry if there is a single response', () => {
    expect(judged(lost(), sends(2)).outcome).toBe('pass');
  });

  test('is not judged while the client may continue', () => {
    const sim = ran(lost(3), sends(3));
    expect(found(judge(sim), 'gave-up')).toBeUndefined();
    expect(found(judge(sim, { isOver: true, end: { isInterrupted: true } }), 'gave-up')).toBeUndefined();
  });
});

describe('equal writes that all got a response', () => {
  const rex: PlainCall = { body: { name: 'Rex', categoryId: 1 } };
  const about = (calls: number): Scenario => ({
    client: { calls, operation: 'createPet' },
    expect: { fail: ['duplicate-write'] },
  });

  test('are as many calls as the scenario asks for, otherwise inconclusive', () => {
    expect(judged(about(2), sends(2, [rex])).reason).not.toContain('equal pets');
    expect(judged(about(2), sends(3, [rex]))).toMatchObject({
      outcome: 'inconclusive',
      reason: expect.stringMatching(/^More equal pets were added than/),
    });
  });
});

describe('a wait that the caller ended', () => {
  const wall: Scenario = {
    windows: { minute: '20s' },
    keys: { 'free-key': { usage: { minute: 'all' } } },
    expect: { fail: ['late-request'] },
  };
  const ended = (afterMs: number, end: { hasFailed?: boolean; isInterrupted?: boolean } | undefined) => {
    const sim = ran(wall, sends(1));
    sim.clock.advance(afterMs);
    return judge(sim, { isOver: true, ...(end && { end }) });
  };

  test("is detected by the command's end during the wait", () => {
    expect(ended(2_000, { hasFailed: true })).toMatchObject({ outcome: 'pass' });
  });

  test('is not detected by an immediate end, a stop from outside, an end after the wait, or an unknown end', () => {
    for (const verdict of [
      ended(100, { hasFailed: true }),
      ended(2_000, { isInterrupted: true }),
      ended(21_000, { hasFailed: true }),
      ended(2_000, undefined),
    ]) {
      expect([verdict.outcome, verdict.exercised.includes('late-request')]).toEqual(['inconclusive', false]);
    }
    expect(ended(100, { hasFailed: true }).reason).toContain('POST /__sim/outcome');
  });
});
