import { afterEach, beforeEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import { SimulatedClock } from '../../src/clock/simulated-clock.js';
import { type Clock, createSimulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { parseDuration } from '../../src/values/duration.js';
import { parseInstant } from '../../src/values/instant.js';
import { frozen, noon } from '../support/frozen.js';
import { rate, send, sendTimes } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

const machine = '2026-06-01T08:00:00.250Z';
const machineMs = Date.parse(machine);
const noonMs = Date.parse(noon);
const movedTooFar = 'Failed to move the clock: expected an instant of the years 1970 to 9999';

beforeEach(() => {
  vi.useFakeTimers({ now: machineMs });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A clock some milliseconds after its start on a machine whose time runs. */
const clockAfter = (ms: number, options: ConstructorParameters<typeof SimulatedClock>[0] = {}) => {
  const clock = new SimulatedClock(options);
  vi.advanceTimersByTime(ms);
  return clock;
};
const frozenAtNoon = { startMs: noonMs, mode: 'frozen' } as const;

test.each([
  ["shows the machine's time", 1234, {}, machineMs + 1234],
  ["runs from the scenario's start time", 1500, { startMs: noonMs }, noonMs + 1500],
  ['is ahead of the machine by its skew', 10, { skewMs: 90_000 }, machineMs + 90_010],
  ['runs at its speed', 1000, { startMs: noonMs, speed: 60 }, noonMs + 60_000],
  ['runs slowly, in whole milliseconds', 4, { startMs: noonMs, speed: 0.4 }, noonMs + 1],
  [
    'stops at the last millisecond of the year 9999',
    60_000,
    { startMs: Date.parse('9999-12-31T23:59:59Z') },
    Date.parse('9999-12-31T23:59:59.999Z'),
  ],
  ['that is frozen stops at its start', 60_000, frozenAtNoon, noonMs],
  [
    "that is frozen starts at the machine's time by default",
    60_000,
    { mode: 'frozen', skewMs: 1000 } as const,
    machineMs + 1000,
  ],
])('a clock %s', (_, ms, options, nowMs) => {
  expect(clockAfter(ms, options).now()).toBe(nowMs);
});

describe('a real clock', () => {
  test('lets fake timers move the limits of a simulator', () => {
    const sim = createSimulator();
    expect(sendTimes(sim, 61).at(-1)?.status).toBe(429);
    vi.advanceTimersByTime(59_749);
    expect(send(sim).status).toBe(429);
    vi.advanceTimersByTime(1);
    expect(send(sim).status).toBe(200);
  });

  test('runs again after a reset', () => {
    const clock = new SimulatedClock({ startMs: noonMs });
    clock.freeze();
    clock.reset();
    vi.advanceTimersByTime(5);
    expect(clock.state()).toEqual({ nowMs: noonMs + 5, frozen: false, movedMs: 0 });
  });

  test('keeps its speed after advance, set, freeze and resume', () => {
    const clock = clockAfter(1000, { startMs: noonMs, speed: 10 });
    clock.advance('1m');
    expect(clock.now()).toBe(noonMs + 70_000);
    vi.advanceTimersByTime(100);
    expect(clock.now()).toBe(noonMs + 71_000);
    clock.freeze();
    vi.advanceTimersByTime(5000);
    expect(clock.now()).toBe(noonMs + 71_000);
    expect(clock.frozen).toBe(true);
    clock.resume();
    vi.advanceTimersByTime(100);
    expect(clock.now()).toBe(noonMs + 72_000);
    expect(clock.frozen).toBe(false);
  });
});

describe('a frozen clock', () => {
  test('stops until it is moved', () => {
    const clock = clockAfter(60_000, frozenAtNoon);
    clock.advance(1);
    clock.advance('2s');
    expect(clock.now()).toBe(noonMs + 2001);
    expect(clock.frozen).toBe(true);
  });

  test('starts at a whole millisecond, even with a fractional skew', () => {
    const sim = createSimulator({ scenario: { clock: { start: 1.5, skew: '-0.5ms', mode: 'frozen' } } });
    expect(sim.clock.now()).toBe(0);
    sim.clock.set(5);
    expect(sim.clock.movedMs).toBe(5);
  });

  test('does not catch up on the time during which it was frozen', () => {
    const clock = clockAfter(60_000, frozenAtNoon);
    clock.resume();
    expect(clock.now()).toBe(noonMs);
    vi.advanceTimersByTime(5);
    expect(clock.now()).toBe(noonMs + 5);
  });

  test("returns to the scenario's start at a reset", () => {
    const clock = new SimulatedClock(frozenAtNoon);
    clock.advance('1d');
    clock.resume();
    clock.reset();
    vi.advanceTimersByTime(60_000);
    expect(clock.state()).toEqual({ nowMs: noonMs, frozen: true, movedMs: 0 });
  });
});

test('a clock is set forward and back, by date, milliseconds or ISO text with a time zone', () => {
  const clock = new SimulatedClock(frozenAtNoon);
  clock.set('2026-01-01T14:00:00+01:00');
  expect(clock.now()).toBe(noonMs + 3_600_000);
  clock.set(new Date('2030-12-05T00:00:00Z'));
  expect(clock.now()).toBe(Date.UTC(2030, 11, 5));
  clock.set(0);
  expect(clock.now()).toBe(0);
  clock.set('2026-01-01T12:00Z');
  expect(clock.now()).toBe(noonMs);
  expect(clock.movedMs).toBe(0);
});

test.each([
  ['fixed-window', perMinute - 1],
  ['sliding-log', perMinute - 1],
  ['token-bucket', perMinute - 31],
] as const)('after a clock is set back, %s promises no time beyond its windows', (algorithm, remaining) => {
  const sim = frozen({ limits: { algorithm } });
  sendTimes(sim, 30);
  sim.clock.set('2026-01-01T10:00:00Z');
  const tenSeconds = Date.parse('2026-01-01T10:00:00Z') / 1000;
  const answer = rate(send(sim));
  expect(answer).toMatchObject({ limit: perMinute, remaining });
  expect(answer.reset).toBeGreaterThan(tenSeconds);
  expect(answer.reset).toBeLessThanOrEqual(tenSeconds + 60);
});

test('a snapshot of a clock restores its time, whether it is frozen, and by how much it was moved', () => {
  const clock = new SimulatedClock({ startMs: noonMs });
  clock.advance('1h');
  clock.freeze();
  const state = clock.state();
  clock.resume();
  clock.advance('1d');
  clock.restore(state);
  vi.advanceTimersByTime(60_000);
  expect(clock.state()).toEqual({ nowMs: noonMs + 3_600_000, frozen: true, movedMs: 3_600_000 });
});

const noDuration = 'expected a duration such as "500ms", "2s", "5m" or "1d", got';
const noInstant = 'expected an instant such as "2030-12-05T00:00:00Z", got';
test.each([
  ['advance', -1, `${noDuration} -1`],
  ['advance', Number.NaN, `${noDuration} NaN`],
  ['advance', 'soon', `${noDuration} "soon"`],
  ['advance', '-5s', `${noDuration} "-5s"`],
  ['advance', '', `${noDuration} ""`],
  ['advance', '4000000d', movedTooFar],
  ['advance', Number.MAX_VALUE, movedTooFar],
  ['set', 'noon', `${noInstant} "noon"`],
  ['set', '2026-01-01T12:00:00', `${noInstant} "2026-01-01T12:00:00"`],
  ['set', '2026-13-01T12:00:00Z', `${noInstant} "2026-13-01T12:00:00Z"`],
  ['set', '2026-01-01', `${noInstant} "2026-01-01"`],
  ['set', Number.NaN, `${noInstant} null`],
  ['set', new Date(Number.NaN), `${noInstant} null`],
  ['set', -1, 'expected an instant of the years 1970 to 9999, got -1'],
  ['set', '1969-12-31T23:59:59Z', 'expected an instant of the years 1970 to 9999, got "1969-12-31T23:59:59Z"'],
  ['set', Date.UTC(10_000, 0, 1), 'expected an instant of the years 1970 to 9999, got 253402300800000'],
] as const)('%s(%s) throws a RangeError with the expected form, and moves nothing', (verb, input, expected) => {
  const clock = new SimulatedClock(frozenAtNoon);
  const move = () => (verb === 'advance' ? clock.advance(input as string) : clock.set(input));
  expect(move).toThrow(RangeError);
  expect(move).toThrow(expected);
  expect(clock.state()).toEqual({ nowMs: noonMs, frozen: true, movedMs: 0 });
});

test('responses and Date are well-formed at both ends of the supported time', () => {
  for (const instant of ['1970-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
    for (const algorithm of ['fixed-window', 'sliding-log', 'token-bucket'] as const) {
      const sim = frozen({ clock: { start: instant }, limits: { algorithm } });
      const answers = sendTimes(sim, perMinute + 2);
      expect(answers.map(({ status }) => status)).toEqual([...Array(perMinute).fill(200), 429, 429]);
      expect(answers.at(-1)?.headers.Date).toMatch(/^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$/);
      expect(rate(answers.at(-1) as (typeof answers)[0]).retryAfter).toBeGreaterThanOrEqual(1);
    }
  }
});

test.each([
  [0, 0],
  [1.5, 1.5],
  ['500ms', 500],
  ['2s', 2000],
  ['1.5s', 1500],
  ['5m', 300_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['1m30s', 90_000],
  ['1 h 30 s', 3_630_000],
  ['1 s', 1000],
  ['80 ms', 80],
  ['2.5 min', 150_000],
  ['3 days', 259_200_000],
  ['1:48', 108_000],
  ['2:00:00', 7_200_000],
] as const)('the duration %s is %d ms', (duration, ms) => {
  expect(parseDuration(duration)).toBe(ms);
});

test.each(['5', '1  s', '1S', 's', '1w', '1e3s', '٥s', '1 mins', '1s 2', '1:2', Number.POSITIVE_INFINITY])(
  '%s is not a duration',
  (duration) => {
    expect(() => parseDuration(duration)).toThrow('expected a duration such as');
  },
);

test('an instant is parsed with fractions of a second', () => {
  expect(parseInstant('2026-01-01T12:00:00.123Z')).toBe(noonMs + 123);
  expect(() => parseInstant(Number.POSITIVE_INFINITY)).toThrow(RangeError);
});

test.each([
  ['1969-12-31T23:59:59Z', 'before 1970'],
  [Date.UTC(10_000, 0, 1), 'after 9999'],
])('a scenario cannot start at %s, which is %s', (start, _) => {
  expect(() => frozen({ clock: { start } })).toThrow('scenario at clock.start: expected an instant');
});

test.each<[string, string, string | number, string]>([
  ['be behind the machine', noon, '-40s', 'Thu, 01 Jan 2026 11:59:20 GMT'],
  ['be behind the machine by a number of milliseconds', noon, -40_000, 'Thu, 01 Jan 2026 11:59:20 GMT'],
  ['not go before the year 1970 by a skew', '1970-01-01T00:00:00Z', '-1d', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ['not go past the year 9999 by a skew', '9999-12-31T00:00:00Z', '2d', 'Fri, 31 Dec 9999 23:59:59 GMT'],
])('a clock can %s', (_, start, skew, date) => {
  expect(send(frozen({ clock: { start, skew } })).headers.Date).toBe(date);
});

test('exposes to users how to move it, but no internals', () => {
  // Checked by the compiler, in `npm run check`.
  expectTypeOf<keyof Clock>().toEqualTypeOf<
    'now' | 'movedMs' | 'frozen' | 'advance' | 'set' | 'freeze' | 'resume' | 'sleep'
  >();
  expectTypeOf(createSimulator().clock).toEqualTypeOf<Clock>();
});
