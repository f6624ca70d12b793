import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { admit } from '../../src/rate-limits/admission.js';
import { createApiKey, withWindows } from '../../src/rate-limits/api-key.js';
import { windowAlgorithm } from '../../src/rate-limits/window.js';
import { fuzz } from '../support/prove.js';

const documented = resolveScenario({ ban: 'off' }).settings;

const limitSettings = fc.record({
  algorithm: fc.constantFrom('fixed-window', 'sliding-log', 'token-bucket'),
  windowStart: fc.constantFrom('first-request', 'clock'),
  rejectedCounts: fc.constantFrom('none', 'other-windows', 'all'),
} as const);

const course = fc.record({
  limitSettings,
  short: fc.record({ limit: fc.integer({ min: 1, max: 9 }), seconds: fc.integer({ min: 1, max: 12 }) }),
  long: fc.record({ limit: fc.integer({ min: 1, max: 20 }), seconds: fc.integer({ min: 2, max: 60 }) }),
  steps: fc.array(
    fc.record({ waitMs: fc.integer({ min: 0, max: 1_500 }), percent: fc.integer({ min: 0, max: 100 }) }),
    {
      minLength: 10,
      maxLength: 40,
      size: 'max',
    },
  ),
});

test('a refused request of any cost is served at the promised second, and refused one second before', () => {
  const seen = { refused: 0, withRequestsLeft: 0 };
  fc.assert(
    fc.property(course, ({ limitSettings, short, long, steps }) => {
      const settings = { ...documented, ...limitSettings };
      const algorithm = windowAlgorithm(settings);
      const definition = { plan: 'p', state: 'active', usage: {}, bannedForMs: 0 } as const;
      let nowMs = 1_700_000_000_000;
      const limits = { short: short.limit, long: long.limit };
      const lengths = { minute: 60, day: 86_400, short: short.seconds, long: long.seconds };
      const key = createApiKey('k', definition, limits, lengths, nowMs, 0);
      for (const { waitMs, percent } of steps) {
        nowMs += waitMs;
        const cost = 1 + Math.floor((percent * (Math.min(short.limit, long.limit) - 1)) / 100);
        const { refusal, rate } = admit(key, algorithm, settings, nowMs, { isLimited: true, counts: true, cost });
        if (refusal === undefined) continue;
        seen.refused++;
        if (rate.remaining > 0) seen.withRequestsLeft++;
        const servedAt = (seconds: number) => {
          const copy = withWindows(
            key,
            key.windows.map((window) => ({
              ...window,
              log: window.log.map(([second, requests]) => [second, requests]),
            })),
          );
          return admit(copy, algorithm, settings, seconds * 1000, { isLimited: true, counts: true, cost }).refusal;
        };
        expect(refusal.code).toBe('rate_limit_exceeded');
        expect(rate.resetAtSeconds).toBeGreaterThan(Math.floor(nowMs / 1000));
        expect(servedAt(rate.resetAtSeconds)).toBeUndefined();
        if (rate.resetAtSeconds - 1 > nowMs / 1000) expect(servedAt(rate.resetAtSeconds - 1)).toBeDefined();
      }
    }),
    fuzz(300, 12_000),
  );
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(100);
});
