import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { defaultScenario } from '../../src/petstore/default-scenario.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen, noon, noonSeconds } from '../support/frozen.js';
import { code, message, rate, send, sendTimes } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

afterEach(() => {
  vi.useRealTimers();
});

test('authentication precedes the checks of path, method and body', () => {
  const sim = frozen();
  for (const call of [{ path: '/nothing' }, { method: 'DELETE' }, { body: '{' }]) {
    expect(send(sim, { ...call, key: 'unknown-key' }).status).toBe(401);
  }
});

describe('preset usage', () => {
  test('is marked until the first request, with which its window begins', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all' } } } });
    const times = () => [sim.keys.get('free-key').preset, sim.keys.get('free-key').minute.resetAtSeconds];
    expect(times()).toEqual([true, noonSeconds + 60]);
    expect(sim.keys.get('pro-key')).not.toHaveProperty('preset');
    send(sim);
    expect(times()).toEqual([undefined, noonSeconds + 60]);
  });

  test('makes one request reproduce a 429', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: perMinute - 1 } } } });
    expect(sendTimes(sim, 2).map(({ status }) => status)).toEqual([200, 429]);
    expect(rate(send(sim))).toMatchObject({ limit: perMinute, reset: noonSeconds + 60 });
  });

  test('of the day is reported before the minute', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: 10, day: 999 } } } });
    expect(rate(send(sim))).toMatchObject({ limit: 1000, remaining: 0, reset: noonSeconds + 86_400 });
    expect(sim.keys.get('free-key').minute.remaining).toBe(perMinute - 11);
  });

  test.each(['fixed-window', 'sliding-log', 'token-bucket'] as const)('works under %s', (algorithm) => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: perMinute - 2 } } }, limits: { algorithm } });
    expect(sendTimes(sim, 3).map(({ status }) => status)).toEqual([200, 200, 429]);
  });

  test('is not reduced by real time before the first request', () => {
    vi.useFakeTimers({ now: Date.parse(noon) });
    const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
    vi.advanceTimersByTime(3_600_000);
    expect(send(sim).status).toBe(429);
    vi.advanceTimersByTime(59_999);
    expect(send(sim).status).toBe(429);
    vi.advanceTimersByTime(1);
    expect(send(sim).status).toBe(200);
  });

  test('is reduced by time that advance or set passes', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all', day: 10 } } } });
    sim.clock.advance('20s');
    expect(rate(send(sim)).retryAfter).toBe(40);
    sim.reset();
    sim.clock.advance('60s');
    expect(send(sim).status).toBe(200);
    expect(sim.keys.get('free-key').day).toMatchObject({ remaining: 989, resetAtSeconds: noonSeconds + 86_400 });
  });

  test('of a key added later starts when the key is added', () => {
    const sim = frozen();
    sim.clock.advance('5m');
    sim.keys.add('new-key', { usage: { minute: 'all', day: 0 } });
    expect(send(sim, { key: 'new-key' }).status).toBe(429);
    expect(rate(send(sim, { key: 'new-key' })).retryAfter).toBe(60);
    sim.keys.add('other-key', { usage: { minute: 'all', day: 0 } });
    sim.clock.advance('59s');
    expect(send(sim, { key: 'other-key' }).status).toBe(429);
    sim.clock.advance('1s');
    expect(send(sim, { key: 'other-key' }).status).toBe(200);
  });

  test('is shown before the first request applies it', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: perMinute - 1, day: 7 } } } });
    for (let look = 0; look < 3; look++) {
      expect(sim.keys.get('free-key')).toMatchObject({ minute: { remaining: 1 }, day: { remaining: 993 } });
      sim.clock.advance('10s');
    }
    sim.clock.advance('30s');
    expect(sim.keys.get('free-key')).toMatchObject({ minute: { remaining: perMinute }, day: { remaining: 993 } });
  });

  test('is not applied by reading the key', () => {
    vi.useFakeTimers({ now: Date.parse(noon) });
    const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
    sim.keys.get('free-key');
    sim.keys.list();
    vi.advanceTimersByTime(3_600_000);
    expect(send(sim).status).toBe(429);
  });

  test('is restored by a reset', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all' } } } });
    sim.clock.advance('2m');
    expect(send(sim).status).toBe(200);
    sim.reset();
    expect(send(sim).status).toBe(429);
  });
});

describe('a preset ban', () => {
  const scenario = { keys: { 'banned-key': { plan: 'pro', bannedFor: '90s' } } };

  test('lasts for its time from the start of the scenario', () => {
    const sim = frozen(scenario);
    expect(sim.keys.get('banned-key')).toMatchObject({ state: 'banned', bannedUntil: '2026-01-01T12:01:30.000Z' });
    sim.clock.advance('30s');
    const answer = send(sim, { key: 'banned-key' });
    expect([answer.status, code(answer), rate(answer).retryAfter]).toEqual([429, 'key_banned', 60]);
    sim.clock.advance('59999ms');
    expect(send(sim, { key: 'banned-key' }).status).toBe(429);
    sim.clock.advance(1);
    expect(send(sim, { key: 'banned-key' }).status).toBe(200);
    expect(sim.keys.get('banned-key')).not.toHaveProperty('bannedUntil');
  });

  test('is lifted by unban before the first request', () => {
    const sim = frozen(scenario);
    sim.keys.unban('banned-key');
    expect(send(sim, { key: 'banned-key' }).status).toBe(200);
  });

  test('is replaced by a ban from a control operation', () => {
    const sim = frozen(scenario);
    sim.keys.ban('banned-key', '1h');
    expect(rate(send(sim, { key: 'banned-key' })).retryAfter).toBe(3600);
    expect(sim.keys.get('banned-key').bannedUntil).toBe('2026-01-01T13:00:00.000Z');
  });
});

describe('the keys of a running simulator', () => {
  test('are listed with plan, windows, state and strikes', () => {
    const sim = frozen();
    send(sim);
    expect(sim.keys.list().map(({ key }) => key)).toEqual(Object.keys(defaultScenario.keys));
    expect(sim.keys.get('free-key')).toEqual({
      id: 'key_c664db68e3d719e9',
      key: 'free-key',
      plan: 'free',
      state: 'active',
      minute: { limit: perMinute, remaining: perMinute - 1, resetAtSeconds: noonSeconds + 60 },
      day: { limit: 1000, remaining: 999, resetAtSeconds: noonSeconds + 86_400 },
      strikes: 0,
    });
  });

  test('can be added, on the free plan by default', () => {
    const sim = frozen();
    expect(sim.keys.add('alice').plan).toBe('free');
    expect(sim.keys.add('bob', { plan: 'pro' }).minute.limit).toBe(300);
    expect(send(sim, { key: 'alice' }).status).toBe(200);
    sim.reset();
    expect(send(sim, { key: 'alice' }).status).toBe(401);
  });

  test('start unused when they are added again', () => {
    const sim = frozen();
    sendTimes(sim, 70);
    sim.keys.add('free-key');
    expect(rate(send(sim)).remaining).toBe(perMinute - 1);
  });

  test('get 401 from their revocation until a reset', () => {
    const sim = frozen();
    send(sim);
    sim.keys.revoke('free-key');
    expect(message(send(sim))).toBe('The API key was revoked.');
    sim.keys.restore('free-key');
    expect(rate(send(sim)).remaining).toBe(perMinute - 2);
    sim.keys.revoke('free-key');
    sim.reset();
    expect(send(sim).status).toBe(200);
  });

  test('can be set to a usage in windows that start now', () => {
    const sim = frozen();
    sim.clock.advance('45s');
    sim.keys.setUsage('free-key', { minute: perMinute });
    expect(rate(send(sim))).toMatchObject({ limit: perMinute, retryAfter: 60 });
    sim.keys.setUsage('free-key', { minute: 0, day: 1000 });
    expect(rate(send(sim))).toMatchObject({ limit: 1000, retryAfter: 86_400 });
    sim.keys.setUsage('free-key', { day: 0 });
    expect(rate(send(sim)).remaining).toBe(perMinute - 1);
  });

  test('keep the part of a preset that setUsage does not name', () => {
    const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all', day: 10 } } } });
    sim.keys.setUsage('free-key', { minute: 5 });
    expect(sim.keys.get('free-key')).toMatchObject({ minute: { remaining: perMinute - 5 }, day: { remaining: 990 } });
  });

  test('throw a RangeError with the key if unknown', () => {
    const { keys } = frozen();
    const notFound = new RangeError('Failed to find the key: expected a known API key, got "nobody"');
    expect(() => keys.get('nobody')).toThrow(notFound);
    expect(() => keys.revoke('nobody')).toThrow(notFound);
    expect(() => keys.restore('nobody')).toThrow(notFound);
    expect(() => keys.ban('nobody', '1s')).toThrow(notFound);
    expect(() => keys.unban('nobody')).toThrow(notFound);
    expect(() => keys.setUsage('nobody', {})).toThrow(notFound);
    expect(() => keys.get('__proto__')).toThrow(RangeError);
  });

  test('reject an unknown plan without changing the key', () => {
    const sim = frozen();
    send(sim);
    for (const plan of ['gold', 'constructor', '__proto__']) {
      expect(() => sim.keys.add('free-key', { plan })).toThrow(
        `API key at plan: expected a plan (free, pro, business, enterprise), got "${plan}"`,
      );
    }
    expect(sim.keys.get('free-key').minute.remaining).toBe(perMinute - 1);
  });

  test.each([-1, perMinute + 1, 1.5, Number.NaN])('reject a usage of %d and change neither window', (minute) => {
    const sim = frozen();
    expect(() => sim.keys.setUsage('free-key', { day: 5, minute })).toThrow(
      new RangeError(`Failed to set the usage: expected a whole number from 0 to ${perMinute}, got ${minute}`),
    );
    expect(() => sim.keys.setUsage('free-key', { minute: 5, day: 1001 })).toThrow('from 0 to 1000, got 1001');
    expect(sim.keys.get('free-key')).toMatchObject({ minute: { remaining: perMinute }, day: { remaining: 1000 } });
  });

  test('reject a ban with an unreadable duration and stay unbanned', () => {
    const sim = frozen();
    expect(() => sim.keys.ban('free-key', 'forever')).toThrow('expected a duration');
    expect(send(sim).status).toBe(200);
  });
});

describe('the cached last key', () => {
  const limitOf = (sim: ReturnType<typeof frozen>) => rate(send(sim, { key: 'free-key' }));

  test('is dropped when the key is replaced or another scenario is loaded', () => {
    const sim = frozen();
    expect(limitOf(sim)).toMatchObject({ limit: perMinute, remaining: perMinute - 1 });
    sim.keys.add('free-key', { plan: 'business' });
    expect(limitOf(sim)).toMatchObject({ limit: 1000, remaining: 999 });
    sim.load({ keys: { 'free-key': { state: 'revoked' } } });
    expect(send(sim, { key: 'free-key' }).status).toBe(401);
  });

  test('is new after a reset, and restored by a snapshot', () => {
    const sim = frozen();
    const saved = sim.snapshot();
    expect(limitOf(sim)).toMatchObject({ remaining: perMinute - 1 });
    const used = sim.snapshot();
    sim.reset();
    expect(limitOf(sim)).toMatchObject({ remaining: perMinute - 1 });
    sim.restore(used);
    expect(limitOf(sim)).toMatchObject({ remaining: perMinute - 2 });
    sim.restore(saved);
    expect(limitOf(sim)).toMatchObject({ remaining: perMinute - 1 });
  });

  test('is not used for a request without a key or with a malformed header', () => {
    const sim = frozen();
    for (const authorization of [undefined, 'Bearer', 'Bearer free-key, Bearer free-key']) {
      expect(limitOf(sim)).toMatchObject({ limit: perMinute });
      expect(send(sim, { key: null, headers: authorization === undefined ? {} : { authorization } }).status).toBe(401);
    }
    expect(limitOf(sim)).toMatchObject({ remaining: perMinute - 4 });
  });
});

describe('acceptAnyKey', () => {
  const sim = () => frozen({ pets: [], assumptions: { acceptAnyKey: true } });

  test('drops the oldest of more than 10,000 unlisted keys, and no listed key', () => {
    const any = sim();
    send(any, { key: 'made-up-0' });
    send(any, { key: 'pro-key' });
    for (let n = 1; n < 10_000; n++) send(any, { key: `made-up-${n}` });
    expect(any.keys.get('made-up-0').minute.remaining).toBe(perMinute - 1);
    send(any, { key: 'made-up-10000' });
    expect(() => any.keys.get('made-up-0')).toThrow(RangeError);
    expect(any.keys.get('made-up-1').minute.remaining).toBe(perMinute - 1);
    expect(any.keys.get('pro-key').minute.remaining).toBe(299);
    expect(any.keys.list()).toHaveLength(Object.keys(defaultScenario.keys).length);
  });

  test('drops unlisted keys at a reset', () => {
    const any = sim();
    sendTimes(any, 61, { key: 'one' });
    any.reset();
    expect(rate(send(any, { key: 'one' })).remaining).toBe(perMinute - 1);
  });
});

describe('a key with expiresIn', () => {
  const keys = { 'free-key': { expiresIn: '5s' } };

  test('works until its expiry, and then gets a 401 with the reason', () => {
    const sim = frozen({ keys });
    expect(send(sim).status).toBe(200);
    sim.clock.advance(4999);
    expect(send(sim).status).toBe(200);
    sim.clock.advance(1);
    const answer = send(sim);
    expect([answer.status, message(answer)]).toEqual([401, 'The API key has expired.']);
    expect(sim.keys.get('free-key').state).toBe('expired');
    sim.reset();
    expect(send(sim).status).toBe(200);
  });

  test('does not age in real time before its first request', () => {
    vi.useFakeTimers();
    const sim = createSimulator({ scenario: { keys } });
    vi.advanceTimersByTime(60_000);
    expect(send(sim).status).toBe(200);
    vi.advanceTimersByTime(5_000);
    expect(send(sim).status).toBe(401);
  });

  test('ages by time that advance or set passes', () => {
    const sim = frozen({ keys });
    sim.clock.advance('5s');
    expect(sim.keys.get('free-key').state).toBe('expired');
    expect(send(sim).status).toBe(401);
  });

  test('expires at the earlier of two instants', () => {
    const soon = '2026-01-01T12:00:03Z';
    const sim = frozen({ keys: { 'free-key': { expiresIn: '5s', expiresAt: soon } } });
    expect(send(sim).status).toBe(200);
    sim.clock.advance('3s');
    expect(send(sim).status).toBe(401);
  });
});

test('a preset ban lasts as long as its Retry-After states, at any fraction of a second', () => {
  const sim = frozen({ clock: { start: '2026-01-01T12:00:00.700Z' }, keys: { 'free-key': { bannedFor: '60s' } } });
  expect(rate(send(sim)).retryAfter).toBe(60);
});
