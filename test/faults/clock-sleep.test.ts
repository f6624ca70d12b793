import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ResetError, SimulatedClock } from '../../src/clock/simulated-clock.js';
import { noon } from '../support/frozen.js';

const noonMs = Date.parse(noon);
const frozenClock = () => new SimulatedClock({ startMs: noonMs, mode: 'frozen' });

/** Runs all pending microtasks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Sleeps for several times, and returns the order and the clock times in which the sleepers woke. */
function sleepers(clock: SimulatedClock, ...times: number[]) {
  const woken: string[] = [];
  for (const ms of times) {
    clock.sleep(ms).then(
      () => woken.push(`${ms} at ${clock.now() - noonMs}`),
      (error) => woken.push(`${ms} ${error.name}`),
    );
  }
  return woken;
}

/** Real time passes, until these sleepers wake in its last millisecond and not before. */
async function passUntil(ms: number, woken: string[], ...wakes: string[]) {
  const before = [...woken];
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(woken).toEqual(before);
  await vi.advanceTimersByTimeAsync(1);
  expect(woken).toEqual([...before, ...wakes]);
}

describe('sleepers on a frozen clock', () => {
  test('wake at their millisecond and not before, in the order of their times', async () => {
    const clock = frozenClock();
    const woken = sleepers(clock, 300, 100, 200, 100);
    clock.advance(99);
    await settle();
    expect(woken).toEqual([]);
    clock.advance(1);
    await settle();
    expect(woken).toEqual(['100 at 100', '100 at 100']);
    clock.advance(900);
    await settle();
    expect(woken.slice(2)).toEqual(['200 at 1000', '300 at 1000']);
  });

  test('wake at once if their time is zero', async () => {
    await expect(frozenClock().sleep(0)).resolves.toBeUndefined();
  });

  test('wake by set, continue to sleep when the clock is set back, and wake at their time', async () => {
    const clock = frozenClock();
    const woken = sleepers(clock, 1_000, 5_000);
    clock.set(noonMs - 60_000);
    await settle();
    expect(woken).toEqual([]);
    clock.set(noonMs + 1_000);
    await settle();
    expect(woken).toEqual(['1000 at 1000']);
    clock.set('2030-12-05T00:00:00Z');
    await settle();
    expect(woken).toHaveLength(2);
  });

  test('sleep through real time, and wake in it once the clock runs', async () => {
    vi.useFakeTimers({ now: 0 });
    const clock = frozenClock();
    const woken = sleepers(clock, 100);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(woken).toEqual([]);
    clock.resume();
    await passUntil(100, woken, '100 at 100');
  });

  test('a new one that starts while others wake waits for its own time', async () => {
    const clock = frozenClock();
    const woken: string[] = [];
    clock.sleep(10).then(async () => {
      woken.push('first');
      await clock.sleep(10);
      woken.push('second');
    });
    clock.advance(10);
    await settle();
    expect(woken).toEqual(['first']);
    clock.advance(10);
    await settle();
    expect(woken).toEqual(['first', 'second']);
  });
});

describe('sleepers on a running clock', () => {
  beforeEach(() => void vi.useFakeTimers({ now: noonMs }));

  test('wake in real time, also with fake timers', async () => {
    const woken = sleepers(new SimulatedClock(), 250, 50);
    await passUntil(50, woken, '50 at 50');
    await passUntil(200, woken, '250 at 250');
  });

  test('wake earlier with the speed of the clock', async () => {
    const clock = new SimulatedClock({ startMs: noonMs, speed: 60 });
    const woken = sleepers(clock, 60_000);
    await passUntil(1_000, woken, '60000 at 60000');
  });

  test('wake by advance, which sets the timer of the next anew', async () => {
    const clock = new SimulatedClock();
    const woken = sleepers(clock, 1_000, 2_000);
    clock.advance(1_500);
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toEqual(['1000 at 1500']);
    await passUntil(500, woken, '2000 at 2000');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('stop with the clock, and continue with it', async () => {
    const clock = new SimulatedClock();
    const woken = sleepers(clock, 100);
    await vi.advanceTimersByTimeAsync(60);
    clock.freeze();
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(woken).toEqual([]);
    clock.resume();
    await passUntil(40, woken, '100 at 100');
  });

  test('wait longer than the maximum of a timer, 2^31-1 ms', async () => {
    const longestMs = 2 ** 31 - 1;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    const woken = sleepers(new SimulatedClock(), longestMs + 10);
    await vi.advanceTimersByTimeAsync(longestMs);
    expect(woken).toEqual([]);
    await passUntil(10, woken, expect.any(String));
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([longestMs, 10]);
  });

  test('need no timer to wait forever', async () => {
    const clock = new SimulatedClock();
    const woken = sleepers(clock, Number.POSITIVE_INFINITY);
    expect(vi.getTimerCount()).toBe(0);
    clock.advance('10000d');
    await vi.advanceTimersByTimeAsync(1);
    expect(woken).toEqual([]);
  });

  test('survive the switch from real timers to fake ones and back', async () => {
    vi.useRealTimers();
    const clock = new SimulatedClock({ startMs: noonMs });
    const woken = sleepers(clock, 60_000);
    vi.useFakeTimers();
    clock.advance(10);
    const more = sleepers(clock, 60_000);
    vi.useRealTimers();
    clock.advance(60_000);
    await settle();
    expect([...woken, ...more]).toHaveLength(2);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('an abort', () => {
  test('ends the sleep with its reason and leaves neither timer nor listener', async () => {
    vi.useFakeTimers({ now: noonMs });
    const clock = new SimulatedClock();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const sleep = clock.sleep(3_600_000, controller.signal);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledOnce();
  });

  test('before the sleep ends it at once, and others continue', async () => {
    const clock = frozenClock();
    const woken = sleepers(clock, 10);
    await expect(clock.sleep(5, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    clock.advance(10);
    await settle();
    expect(woken).toEqual(['10 at 10']);
  });

  test('after the sleep changes nothing', async () => {
    const clock = frozenClock();
    const controller = new AbortController();
    const sleep = clock.sleep(5, controller.signal);
    clock.advance(5);
    await sleep;
    controller.abort();
    clock.reset();
    await settle();
  });
});

test.each(['reset', 'restore', 'configure'] as const)('%s rejects all sleepers with its reason', async (verb) => {
  const clock = frozenClock();
  const later = { nowMs: noonMs + 60_000, frozen: true, movedMs: 0 };
  const rejected = expect(clock.sleep(10)).rejects.toThrow(new ResetError());
  const woken = sleepers(clock, 10, Number.POSITIVE_INFINITY);
  if (verb === 'restore') clock.restore(later);
  else if (verb === 'configure') clock.configure({ startMs: later.nowMs, mode: 'frozen' });
  else clock.reset();
  await rejected;
  await settle();
  expect(woken).toEqual(['10 ResetError', 'Infinity ResetError']);
});
