import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StoreTime } from '../../../src/persistence/node/redis/store-time.js';

// The tests subtract two readings of the monotonic clock.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

const near = (time: StoreTime) => Math.round(time.now() - performance.now());

test("the error of the store's time is half of the round trip, and decreases with each measurement", () => {
  const time = new StoreTime();
  time.note(5_000, 0, 400);
  expect(near(time)).toBe(4_800);
  // A less exact measurement changes nothing.
  time.note(5_300, 400, 700);
  expect(near(time)).toBe(4_800);
  time.note(6_000, 1_100, 1_110);
  expect(near(time)).toBe(4_890);
});

test('a changed clock of the store is accepted', () => {
  const time = new StoreTime();
  time.note(5_000, 0, 2);
  time.note(3_605_000, 10, 12);
  expect(near(time)).toBeGreaterThan(3_604_000);
  time.note(5_000, 20, 22);
  expect(near(time)).toBeLessThan(5_000);
});
