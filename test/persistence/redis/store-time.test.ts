import { expect, test } from 'vitest';
import { StoreTime } from '../../../src/persistence/redis/store-time.js';

const near = (time: StoreTime) => Math.round(time.now() - performance.now());

test('the time of the store is known to half of the way there and back, and better by each measurement', () => {
  const time = new StoreTime();
  time.note(5_000, 0, 400);
  expect(near(time)).toBe(4_800);
  // It says the same, or less: nothing changes.
  time.note(5_300, 400, 700);
  expect(near(time)).toBe(4_800);
  time.note(6_000, 1_100, 1_110);
  expect(near(time)).toBe(4_890);
});

test('a store whose time was set is believed', () => {
  const time = new StoreTime();
  time.note(5_000, 0, 2);
  time.note(3_605_000, 10, 12);
  expect(near(time)).toBeGreaterThan(3_604_000);
  time.note(5_000, 20, 22);
  expect(near(time)).toBeLessThan(5_000);
});
