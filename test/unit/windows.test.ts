import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import type { ApiKey } from '../../src/rate-limits/api-key.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { message, rate, send, sendTimes } from '../support/plain-call.js';

// test/property/limits.test.ts has a model of the windows, and test/api/assumptions.test.ts each setting.

const start = '2026-01-01T12:00:00.900Z';
const at = (seconds: number) => (noonSeconds + seconds) * 1000;

/** A simulator with a small free plan that starts at 12:00:00.900, so that rounding down is visible. */
function small(plan: { minute: number; day: number }, scenario: Scenario = {}) {
  return frozen({ ...scenario, clock: { start }, plans: { free: plan } });
}

describe('a window', () => {
  test('is shared by all operations and counts accepted requests of every status', () => {
    const sim = small({ minute: 9, day: 100 });
    const body = { name: 'Rex', categoryId: 1 };
    const calls = [
      {},
      { body },
      { path: '/pets/1' },
      { path: '/pets/999' },
      { body: '{' },
      { path: '/nothing' },
      { method: 'DELETE' },
      { query: 'limit=0' },
    ];
    const answers = calls.map((call) => send(sim, call));
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 404, 400, 404, 405, 400]);
    expect(answers.map((answer) => rate(answer).remaining)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
  });

  test('refuses before the request is checked, and a refused create stores nothing', () => {
    const sim = small({ minute: 1, day: 100 });
    send(sim);
    const calls = [{ path: '/nothing' }, { method: 'DELETE' }, { body: '{' }, { body: { name: 'Rex', categoryId: 1 } }];
    for (const call of calls) expect(send(sim, call).status).toBe(429);
    expect(sim.pets.size).toBe(40);
  });
});

describe('a sliding log', () => {
  const sliding = { limits: { algorithm: 'sliding-log' as const } };

  test('never accepts more than the limit in any 60 seconds', () => {
    const sim = small({ minute: 5, day: 1000 }, { ...sliding, ban: 'off' });
    const servedAt: number[] = [];
    for (let tick = 0; tick < 600; tick++) {
      if (send(sim).status === 200) servedAt.push(Math.floor(sim.clock.now() / 1000));
      sim.clock.advance(700);
    }
    for (const end of servedAt) expect(servedAt.filter((s) => s > end - 60 && s <= end).length).toBeLessThanOrEqual(5);
    expect(servedAt.length).toBeGreaterThanOrEqual(35);
  });
});

test('a sliding log contains no more requests than still count', () => {
  const windows = { minute: '10s', day: '20s' } as const;
  const sim = small({ minute: 5, day: 10 }, { limits: { algorithm: 'sliding-log' }, windows });
  for (let n = 0; n < 1_000; n++) {
    send(sim);
    sim.clock.advance('2s');
  }
  const { windows: counted } = coreOf(sim).state.keys.get('free-key') as ApiKey;
  expect(counted.map(({ name }) => name)).toEqual(['minute', 'day']);
  for (const { log } of counted) expect(log.length).toBeLessThan(25);
});

describe('a token bucket', () => {
  const bucket = { limits: { algorithm: 'token-bucket' as const } };

  test('never contains more than the limit', () => {
    const sim = small({ minute: 3, day: 100 }, bucket);
    send(sim);
    sim.clock.advance('1h');
    expect(rate(send(sim))).toMatchObject({ limit: 3, remaining: 2 });
  });

  test('rounds the time of a token up to the whole second', () => {
    const sim = small({ minute: 7, day: 100 }, bucket);
    sendTimes(sim, 7);
    expect(rate(send(sim)).retryAfter).toBe(9);
    sim.clock.set(at(8) + 999);
    expect(send(sim).status).toBe(429);
    sim.clock.set(at(9));
    expect(send(sim).status).toBe(200);
  });
});

test('the message of a refusal names the window', () => {
  const sim = small({ minute: 2, day: 1 });
  sendTimes(sim, 1);
  expect(message(send(sim))).toBe('The free plan allows 1 request a day; retry in 86400 seconds.');
});

test('limits off accepts every request and reports full limits', () => {
  const sim = small({ minute: 1, day: 1 }, { limits: 'off' });
  const answers = sendTimes(sim, 50);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(rate(answers[49] as (typeof answers)[0])).toMatchObject({ limit: 1, remaining: 1 });
});

test('a 429 is not cached, has an Error body, and a Date by the simulated clock', () => {
  const sim = small({ minute: 2, day: 10 });
  expect(send(sim).headers).not.toHaveProperty('Cache-Control');
  sim.clock.set('2028-02-29T23:59:59.999Z');
  sendTimes(sim, 2);
  const answer = send(sim);
  expect(answer.headers).toMatchObject({
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json',
    Date: 'Tue, 29 Feb 2028 23:59:59 GMT',
  });
  expect(JSON.parse(answer.body)).toEqual({
    code: 'rate_limit_exceeded',
    message: 'The free plan allows 2 requests a minute; retry in 60 seconds.',
    status: 429,
  });
});
