import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen, noon, noonSeconds } from '../support/frozen.js';
import { rate, send, sendTimes } from '../support/plain-call.js';
import { fuzz } from '../support/prove.js';

const { minute: perMinute } = documentedPlans.free;

afterEach(() => {
  vi.useRealTimers();
});

/** `free-key` with another client that uses it. */
const shared = (perSecond: number, scenario: Scenario = {}) =>
  frozen({ ...scenario, background: { 'free-key': perSecond } });

const minuteLeft = (sim: Simulator) => sim.keys.get('free-key').minute.remaining;
const dayLeft = (sim: Simulator) => sim.keys.get('free-key').day.remaining;

describe('requests of other clients', () => {
  test.each([
    [1, 10, 10],
    [2.5, 10, 25],
    [0.5, 10, 5],
    [0.5, 11, 5],
    [0.1, 59, 5],
    // At noon, the last whole number of 0.001 requests per second was 800 seconds ago.
    [0.001, 199, 0],
    [0.001, 200, 1],
    [0.001, 1_199, 1],
    [0.001, 1_200, 2],
  ])('at %d a second are after %d seconds exactly %d', (perSecond, seconds, requests) => {
    const sim = shared(perSecond);
    sim.clock.advance(`${seconds}s`);
    expect(dayLeft(sim)).toBe(1_000 - requests);
  });

  test('arrive at whole seconds of the clock and not before, at the configured key only', () => {
    const sim = shared(3);
    sim.clock.advance(999);
    expect(minuteLeft(sim)).toBe(perMinute);
    sim.clock.advance(1);
    expect(minuteLeft(sim)).toBe(perMinute - 3);
    expect(sim.keys.get('pro-key').minute.remaining).toBe(300);
  });

  test('start the window, and exhaust it', () => {
    const sim = shared(1);
    sim.clock.advance('30s');
    expect(rate(send(sim))).toMatchObject({ remaining: perMinute - 31, reset: noonSeconds + 61 });
    sim.clock.advance('30s');
    const refused = send(sim);
    expect(refused.status).toBe(429);
    expect(rate(refused)).toMatchObject({ remaining: 0, reset: noonSeconds + 61, retryAfter: 1 });
    // A client that waits succeeds, after the first request of the other client.
    sim.clock.advance('1s');
    expect(rate(send(sim))).toMatchObject({ remaining: perMinute - 2, reset: noonSeconds + 121 });
  });

  test('are refused without a count and without a strike if the key is exhausted', () => {
    const sim = shared(100, { ban: { after: 1, graceMs: 0 } });
    sim.clock.advance('50s');
    expect(sim.keys.get('free-key')).toMatchObject({ state: 'active', strikes: 0 });
    expect(dayLeft(sim)).toBe(1_000 - perMinute);
    expect(send(sim).status).toBe(429);
  });

  test('are refused during a ban, like all others', () => {
    const sim = shared(1);
    sim.clock.advance('10s');
    send(sim);
    sim.keys.ban('free-key', '5m');
    sim.clock.advance('6m');
    // Ten and one before; the ban ends at 310 seconds past noon, and that second is the first accepted.
    expect(dayLeft(sim)).toBe(1_000 - 11 - Math.min(perMinute, 60) - 1);
  });

  test('need no timer', () => {
    vi.useFakeTimers({ now: Date.parse(noon) });
    const sim = createSimulator({ scenario: { background: { 'free-key': 1 } } });
    send(sim);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(10_000);
    expect(rate(send(sim)).remaining).toBe(perMinute - 12);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a usage that is set', () => {
  test('as usage includes earlier requests of other clients', () => {
    vi.useFakeTimers({ now: Date.parse(noon) });
    const keys = { 'free-key': { usage: { minute: perMinute - 2, day: 58 } } };
    const sim = createSimulator({ scenario: { keys, background: { 'free-key': 0.2 } } });
    vi.advanceTimersByTime(30_000);
    expect(rate(send(sim)).remaining).toBe(1);
    vi.advanceTimersByTime(5_000);
    expect(rate(send(sim))).toMatchObject({ remaining: 0, retryAfter: 55 });
  });

  test('by setUsage is kept, and further requests are added', () => {
    const sim = shared(1);
    send(sim);
    sim.clock.advance('20s');
    sim.keys.setUsage('free-key', { minute: perMinute - 10 });
    expect(minuteLeft(sim)).toBe(10);
    expect(dayLeft(sim)).toBe(979);
    sim.clock.advance('5s');
    expect(rate(send(sim)).remaining).toBe(4);
  });
});

test('other clients continue from a clock that was set back', () => {
  const sim = shared(1);
  sim.clock.advance('1h');
  send(sim);
  sim.clock.set(noon);
  expect(rate(send(sim)).remaining).toBe(perMinute - 1);
  sim.clock.advance('10s');
  expect(rate(send(sim)).remaining).toBe(perMinute - 12);
});

test('keys.list does not apply a preset that waits for the first request', () => {
  vi.useFakeTimers({ now: Date.parse(noon) });
  const keys = { 'free-key': { usage: { minute: perMinute - 2 } } };
  const sim = createSimulator({ scenario: { keys, background: { 'free-key': 0.2 } } });
  vi.advanceTimersByTime(30_000);
  expect(minuteLeft(sim)).toBe(2);
  vi.advanceTimersByTime(30_000);
  expect(minuteLeft(sim)).toBe(2);
  expect(rate(send(sim))).toMatchObject({ remaining: 1, reset: noonSeconds + 120 });
});

test('keys.list shows them without changing anything', () => {
  const looked = shared(0.7);
  const alone = shared(0.7);
  for (let step = 0; step < 30; step++) {
    looked.clock.advance('7s');
    alone.clock.advance('7s');
    expect(looked.keys.list()).toEqual(looked.keys.list());
  }
  expect(looked.keys.list()).toEqual(alone.keys.list());
  expect(send(looked)).toEqual(send(alone));
});

test('reset restarts them, and a snapshot contains their progress', () => {
  const sim = shared(1);
  sim.clock.advance('10s');
  send(sim);
  const snapshot = sim.snapshot();
  const play = () => {
    sim.clock.advance('5s');
    return [rate(send(sim)), sim.keys.list()];
  };
  const first = play();
  sim.clock.advance('1d');
  send(sim);
  sim.restore(snapshot);
  expect(play()).toEqual(first);
  sim.reset();
  expect(minuteLeft(sim)).toBe(perMinute);
  sim.clock.advance('10s');
  expect(minuteLeft(sim)).toBe(perMinute - 10);
});

const algorithms = ['fixed-window', 'sliding-log', 'token-bucket'] as const;

test.each(algorithms)('requests of other clients are counted through idle days and years (%s)', (algorithm) => {
  for (const perSecond of [0.3, 1, 5, 10_000]) {
    const sim = shared(perSecond, { limits: { algorithm } });
    send(sim);
    sim.clock.advance('5d');
    expect([200, 429]).toContain(send(sim).status);
  }
  const enterprise = { minute: 1_000_000, day: 1_000_000_000 };
  const background = { 'enterprise-key': 10_000 };
  const sim = frozen({ limits: { algorithm }, plans: { enterprise }, background });
  send(sim, { key: 'enterprise-key' });
  sim.clock.advance('400d');
  expect([200, 429]).toContain(send(sim, { key: 'enterprise-key' }).status);
});

describe('another client counted by the clock', () => {
  const settings = fc.record({
    algorithm: fc.constantFrom(...algorithms),
    windowStart: fc.constantFrom('first-request' as const, 'clock' as const),
    perSecond: fc.constantFrom(0.05, 0.3, 1, 1.7, 4, 30),
    minuteLimit: fc.integer({ min: 1, max: 40 }),
    dayLimit: fc.integer({ min: 1, max: 120 }),
    used: fc.integer({ min: 0, max: 1 }),
  });
  const steps = fc.array(fc.record({ advanceMs: fc.integer({ min: 0, max: 40_000 }), requests: fc.nat({ max: 4 }) }), {
    maxLength: 12,
  });

  test('has the same effect as a client that sends the requests', () => {
    fc.assert(
      fc.property(settings, steps, ({ perSecond, minuteLimit, dayLimit, used, ...limits }, all) => {
        const scenario: Scenario = {
          ban: 'off',
          limits,
          windows: { minute: '20s', day: '90s' },
          plans: { free: { minute: minuteLimit, day: dayLimit } },
          keys: { 'free-key': { usage: { minute: used, day: used } } },
        };
        const counted = shared(perSecond, scenario);
        const sent = frozen(scenario);
        for (const { advanceMs, requests } of all) {
          counted.clock.advance(advanceMs);
          const untilMs = sent.clock.now() + advanceMs;
          let second = Math.floor(sent.clock.now() / 1000);
          while (++second * 1000 <= untilMs) {
            sent.clock.set(second * 1000);
            const due = Math.floor(perSecond * second) - Math.floor(perSecond * (second - 1));
            sendTimes(sent, due);
          }
          sent.clock.set(untilMs);
          // Only a client that sends requests can get strikes, and ends the wait for the key's first request.
          const { preset: _, ...key } = counted.keys.get('free-key');
          const { preset: __, ...expected } = sent.keys.get('free-key');
          expect(key).toEqual({ ...expected, strikes: 0 });
          expect(sendTimes(counted, requests)).toEqual(sendTimes(sent, requests));
          counted.keys.unban('free-key');
        }
      }),
      fuzz(50, 2_000),
    );
  });
});
