import { describe, expect, test } from 'vitest';
import type { Scenario, Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { found } from '../support/findings.js';
import { frozen } from '../support/frozen.js';

/** Every list takes ten seconds. */
const slow: Scenario = { faults: [{ when: { operation: 'listPets' }, then: { delay: '10s' } }] };

interface Call {
  query?: string;
  key?: string;
  /** Timeout of the client, in milliseconds; without one, the client waits for the response. */
  leavesAfterMs?: number;
}

/** Sends a GET on a clock that the caller moves, up to the response or the client's timeout. */
async function get(sim: Simulator, { query = '', key = 'free-key', leavesAfterMs }: Call = {}): Promise<void> {
  const controller = new AbortController();
  const answer = sim
    .fetch(`http://petstore.test/v1/pets${query}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: controller.signal,
    })
    .catch(() => undefined);
  await new Promise(setImmediate);
  sim.clock.advance(leavesAfterMs ?? 10_000);
  controller.abort();
  await answer;
  await new Promise(setImmediate);
}

async function judged(scenario: Scenario, ...calls: Call[]) {
  const sim = frozen(scenario);
  for (const call of calls) await get(sim, call);
  return judge(sim, { isOver: true });
}

const left = { leavesAfterMs: 500 };

describe('impatient', () => {
  test('finds responses that were abandoned and requested again', async () => {
    expect(found(await judged(slow, left, { leavesAfterMs: 700 }, {}), 'impatient')).toMatchObject({
      severity: 'warn',
      requests: [1, 2],
      measured: '2 responses abandoned after at most 700 ms',
      text: expect.stringContaining('GET /pets was abandoned before its response twice and then sent again'),
    });
  });

  test('fails if the scenario names it, however the run ends', async () => {
    const about: Scenario = { ...slow, expect: { fail: ['impatient'] } };
    expect((await judged(about, left, left, {})).outcome).toBe('fail');
    expect((await judged(about, left, left)).outcome).toBe('fail');
  });

  test('passes a client that waits, and spares one that gives up for good', async () => {
    const about: Scenario = { ...slow, expect: { fail: ['impatient'] } };
    expect(await judged(about, {})).toMatchObject({ outcome: 'pass', findings: [] });
    const gone = await judged(about, left);
    expect([gone.outcome, found(gone, 'impatient'), gone.counts.lost]).toEqual(['inconclusive', undefined, 1]);
  });

  test('does not confuse other calls or other keys with a repetition', async () => {
    expect(found(await judged(slow, left, { query: '?limit=1' }), 'impatient')).toBeUndefined();
    expect(found(await judged(slow, left, { key: 'pro-key' }), 'impatient')).toBeUndefined();
  });

  test('is not exercised by fast responses', async () => {
    expect((await judged({}, {}, {})).exercised).not.toContain('impatient');
  });

  test('counts abandoned attempts, so that more than six are a storm', async () => {
    expect(found(await judged(slow, ...Array(6).fill(left)), 'retry-storm')).toBeUndefined();
    expect(found(await judged(slow, ...Array(7).fill(left)), 'retry-storm')).toMatchObject({
      severity: 'fail',
      measured: '7 attempts',
    });
  });
});
