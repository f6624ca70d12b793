import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import type { ApiKey } from '../../src/rate-limits/api-key.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { frozen, noonSeconds } from '../support/frozen.js';
import { message, rate, send, sendTimes } from '../support/plain-call.js';

const start = '2026-01-01T12:00:00.900Z';
const at = (seconds: number) => (noonSeconds + seconds) * 1000;

/** A simulator with a small free plan that starts at 12:00:00.900, so that rounding down is visible. */
function small(plan: { minute: number; day: number }, scenario: Scenario = {}) {
  return frozen({ ...scenario, clock: { start }, plans: { free: plan } });
}

describe('a minute window', () => {
  test('opens at the first request, rounded down to the whole second, and ends exactly 60 seconds later', () => {
    const sim = small({ minute: 2, day: 100 });
    expect(rate(send(sim))).toEqual({ limit: 2, remaining: 1, reset: noonSeconds + 60, retryAfter: undefined });
    expect(rate(send(sim)).remaining).toBe(0);
    sim.clock.set(at(60) - 1);
    const refused = send(sim);
    expect(refused.status).toBe(429);
    expect(rate(refused)).toEqual({ limit: 2, remaining: 0, reset: noonSeconds + 60, retryAfter: 1 });
    sim.clock.advance(1);
    expect(rate(send(sim))).toEqual({ limit: 2, remaining: 1, reset: noonSeconds + 120, retryAfter: undefined });
  });

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

describe('a day window', () => {
  test('refuses although the minute has requests left, and ends exactly a day after its first request', () => {
    const sim = small({ minute: 2, day: 3 });
    const remaining = [...sendTimes(sim, 2), sim.clock.set(at(60)), ...sendTimes(sim, 1)].flatMap((answer) =>
      answer === undefined ? [] : [rate(answer).remaining],
    );
    expect(remaining).toEqual([1, 0, 0]);
    const refused = send(sim);
    expect(rate(refused)).toEqual({ limit: 3, remaining: 0, reset: noonSeconds + 86_400, retryAfter: 86_340 });
    expect(message(refused)).toBe('The free plan allows 3 requests a day; retry in 86340 seconds.');
    sim.clock.set(at(86_400) - 1);
    expect(send(sim).status).toBe(429);
    sim.clock.advance(1);
    expect(rate(send(sim))).toEqual({ limit: 2, remaining: 1, reset: noonSeconds + 86_460, retryAfter: undefined });
  });
});

describe('refused requests', () => {
  test('do not count in the window that refused them under other-windows', () => {
    const limits = { algorithm: 'sliding-log', rejectedCounts: 'other-windows' } as const;
    const sim = small({ minute: 1, day: 100 }, { limits, ban: 'off' });
    send(sim);
    sim.clock.set(at(10));
    expect(sendTimes(sim, 3).map((answer) => rate(answer).reset)).toEqual(Array(3).fill(noonSeconds + 60));
    expect(sim.keys.get('free-key').day.remaining).toBe(96);
    sim.clock.set(at(60));
    expect(send(sim).status).toBe(200);
  });
});

describe('a sliding log', () => {
  const sliding = { limits: { algorithm: 'sliding-log' as const } };

  test('frees one request as each of the last 60 seconds expires', () => {
    const sim = small({ minute: 2, day: 100 }, sliding);
    expect(rate(send(sim))).toMatchObject({ remaining: 1, reset: noonSeconds + 60 });
    sim.clock.set(at(30));
    expect(rate(send(sim))).toMatchObject({ remaining: 0, reset: noonSeconds + 60 });
    sim.clock.set(at(60) - 1);
    expect(rate(send(sim))).toEqual({ limit: 2, remaining: 0, reset: noonSeconds + 60, retryAfter: 1 });
    sim.clock.set(at(60));
    expect(rate(send(sim))).toMatchObject({ remaining: 0, reset: noonSeconds + 90 });
    expect(rate(send(sim))).toEqual({ limit: 2, remaining: 0, reset: noonSeconds + 90, retryAfter: 30 });
    sim.clock.set(at(90));
    expect(send(sim).status).toBe(200);
  });

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

  test('makes a client whose refused requests count wait until enough of them expire', () => {
    const sim = small(
      { minute: 2, day: 100 },
      { limits: { algorithm: 'sliding-log', rejectedCounts: 'all' }, ban: 'off' },
    );
    sendTimes(sim, 2);
    sim.clock.set(at(10));
    expect(rate(send(sim)).reset).toBe(noonSeconds + 60);
    expect(rate(send(sim)).reset).toBe(noonSeconds + 70);
    sim.clock.set(at(70) - 1);
    expect(send(sim).status).toBe(429);
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

  test('fills evenly and resets when the next token is available', () => {
    const sim = small({ minute: 3, day: 100 }, bucket);
    expect(sendTimes(sim, 3).map((answer) => rate(answer).remaining)).toEqual([2, 1, 0]);
    expect(rate(send(sim))).toEqual({ limit: 3, remaining: 0, reset: noonSeconds + 20, retryAfter: 20 });
    sim.clock.set(at(20) - 1);
    expect(send(sim).status).toBe(429);
    sim.clock.set(at(20));
    expect(rate(send(sim))).toMatchObject({ remaining: 0, reset: noonSeconds + 40 });
    sim.clock.set(at(60));
    expect(rate(send(sim))).toMatchObject({ remaining: 1, reset: noonSeconds + 80 });
  });

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

test.each([
  ['free-key', 60],
  ['pro-key', 300],
  ['business-key', 1000],
  ['enterprise-key', 5000],
])('%s accepts exactly %i requests a minute', (key, limit) => {
  const sim = frozen();
  const answers = sendTimes(sim, limit + 3, { key });
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(limit);
  expect(answers.slice(limit).map(({ status }) => status)).toEqual([429, 429, 429]);
  expect(answers.map((answer) => rate(answer).remaining)).toEqual([
    ...Array.from({ length: limit }, (_, index) => limit - 1 - index),
    0,
    0,
    0,
  ]);
});

test.each([
  ['free-key', 1000, 60],
  ['pro-key', 10_000, 300],
])('%s accepts exactly %i requests a day', (key, daily, aMinute) => {
  const sim = frozen({ ban: 'off' });
  let served = 0;
  for (let minute = 0; minute * aMinute < daily + aMinute; minute++) {
    served += sendTimes(sim, aMinute, { key }).filter(({ status }) => status === 200).length;
    sim.clock.advance('60s');
  }
  expect(served).toBe(daily);
});

test('scaled windows keep Retry-After correct', () => {
  const sim = small({ minute: 1, day: 100 }, { windows: { minute: '2s', day: '30s' } });
  send(sim);
  expect(rate(send(sim))).toMatchObject({ reset: noonSeconds + 2, retryAfter: 2 });
  sim.clock.set(at(2) - 1);
  expect(send(sim).status).toBe(429);
  sim.clock.set(at(2));
  expect(send(sim).status).toBe(200);
});

test('limits off accepts every request and reports full limits', () => {
  const sim = small({ minute: 1, day: 1 }, { limits: 'off' });
  const answers = sendTimes(sim, 50);
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(rate(answers[49] as (typeof answers)[0])).toMatchObject({ limit: 1, remaining: 1 });
});

test('limits that apply to createPet do not affect the other operations', () => {
  const sim = small({ minute: 1, day: 10 }, { limits: { appliesTo: ['createPet'] } });
  const body = { name: 'Rex', categoryId: 1 };
  const calls = [{}, { body }, { body }, {}, { path: '/pets/1' }, { path: '/nothing' }];
  expect(calls.map((call) => send(sim, call).status)).toEqual([200, 201, 429, 200, 200, 404]);
  expect(rate(send(sim, { path: '/pets/1' }))).toMatchObject({ limit: 1, remaining: 0 });
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
