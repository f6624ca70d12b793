import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { send } from '../support/plain-call.js';
import { fuzz } from '../support/prove.js';

const { minute: perMinute } = documentedPlans.free;

const keys = ['free-key', 'other-key'];

/** A scenario, and a client that waits some other time than it was told. */
interface Course {
  startMs: number;
  minuteSeconds: number;
  usage: { minute: number; day: number };
  assumptions: Scenario['assumptions'];
  expiresIn: number | undefined;
  fault: number | undefined;
  /** Pause before each request in milliseconds, and its key. */
  requests: { pauseMs: number; key: number }[];
}

const courses = fc.record<Course>({
  startMs: fc.integer({ min: Date.UTC(2026, 10, 27), max: Date.UTC(2026, 10, 28) }),
  minuteSeconds: fc.constantFrom(10, 20, 60),
  usage: fc.record({
    minute: fc.constantFrom(perMinute - 3, perMinute - 1, perMinute - 1, perMinute),
    day: fc.constantFrom(0, 0, 997, 999),
  }),
  assumptions: fc.record({
    algorithm: fc.constantFrom('fixed-window', 'sliding-log', 'token-bucket'),
    windowStart: fc.constantFrom('first-request', 'clock'),
    rejectedCounts: fc.constantFrom('none', 'other-windows', 'all'),
    banAfter: fc.constantFrom(1, 3),
    banSeconds: fc.constantFrom(1, 20, 120, 100_000),
    banExtend: fc.boolean(),
  }),
  expiresIn: fc.constantFrom(undefined, undefined, undefined, 8, 90),
  fault: fc.constantFrom(undefined, undefined, undefined, 2, 4),
  requests: fc.array(
    fc.record({
      pauseMs: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(200, 1_500, 2_000) },
        { weight: 3, arbitrary: fc.integer({ min: 60, max: 9_000 }) },
        { weight: 1, arbitrary: fc.constant(70_000) },
      ),
      key: fc.constantFrom(0, 0, 0, 1),
    }),
    { minLength: 4, maxLength: 14, size: 'max' },
  ),
});

function open({ startMs, minuteSeconds, usage, assumptions, expiresIn, fault }: Course): Simulator {
  const key = { plan: 'free' as const, usage, ...(expiresIn && { expiresIn: `${expiresIn}s` }) };
  const scenario: Scenario = {
    clock: { start: new Date(startMs).toISOString(), mode: 'frozen' },
    windows: { minute: `${minuteSeconds}s` },
    keys: Object.fromEntries(keys.map((name) => [name, key])),
    assumptions,
    ...(fault && {
      faults: [{ when: { nth: fault }, then: { respond: { status: 429, headers: { 'Retry-After': '3' } } } }],
    }),
  };
  return createSimulator({ scenario });
}

/** Sends the requests of a course up to a number. */
function follow(course: Course, count = course.requests.length): Simulator {
  const sim = open(course);
  for (const { pauseMs, key } of course.requests.slice(0, count)) {
    sim.clock.advance(pauseMs);
    send(sim, { key: keys[key] as string });
  }
  return sim;
}

/**
 * Whether a request at a time is served, after a number of requests of the course. A fault that meets this request says
 * nothing of the key, which then counts as `expected`.
 */
function isServedAt(course: Course, count: number, key: string, ms: number, expected: boolean): boolean {
  const sim = follow(course, count);
  sim.clock.set(new Date(ms));
  const { status } = send(sim, { key });
  return sim.journal.query().at(-1)?.fault === undefined ? status === 200 : expected;
}

test('a key is served at the time that a cost names, and not one second before', () => {
  let found = 0;
  fc.assert(
    fc.property(courses, (course) => {
      for (const { key = '', requests, refusedAt = '', firstPromiseAt = '', laterMs = 0 } of judge(follow(course))
        .costs ?? []) {
        found++;
        const before = (requests[0] as number) - 1;
        const atMs = Date.parse(firstPromiseAt);
        expect(isServedAt(course, before, key, atMs, true)).toBe(true);
        if (atMs - 1_000 > Date.parse(refusedAt))
          expect(isServedAt(course, before, key, atMs - 1_000, false)).toBe(false);
        expect(laterMs).toBeGreaterThanOrEqual(1_000);
        // The requests themselves moved the promise.
        const last = requests.at(-1) as number;
        const lastMs = follow(course, last).clock.now();
        expect(isServedAt(course, last, key, Math.max(atMs, lastMs), false)).toBe(false);
      }
    }),
    fuzz(500, 20_000),
  );
  expect(found).toBeGreaterThan(30);
});
