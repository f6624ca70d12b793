import type { PlanLimits } from './plan-limits.js';

/** Any value of a kind (a number, a list, a map); the schema of the scenario says which. */
export interface Open<Value> {
  readonly default: Value;
}

/** One of a few values: the default and the others. */
export interface Choice<Value> extends Open<Value> {
  readonly others: readonly Value[];
}

export const choice = <const Value>(byDefault: Value, ...others: Value[]): Choice<Value> => ({
  default: byDefault,
  others,
});
export const open = <Value>(byDefault: Value): Open<Value> => ({ default: byDefault });

/** The value that a setting takes. */
export type ValueOf<Setting> = Setting extends Open<infer Value> ? Value : never;

/** What the document leaves open about API keys, limits and bans: the default first. */
export const limitSettings = {
  acceptAnyKey: choice(false, true),
  unauthorizedHeaders: choice('full', 'omit', 'remaining-zero'),
  limitsApply: open<'all' | 'none' | readonly string[]>('all'),
  enterpriseLimits: open<PlanLimits>({ minute: 5_000, day: 1_000_000 }),
  algorithm: choice('fixed-window', 'sliding-log', 'token-bucket'),
  windowStart: choice('first-request', 'clock'),
  rejectedCounts: choice('none', 'other-windows', 'all'),
  reportedWindow: choice('least-remaining', 'minute', 'day'),
  retryAfterForm: choice('seconds', 'http-date'),
  rateLimitFields: choice('none', 'legacy', 'structured-rt', 'structured-aw'),
  banAfter: open<number>(3),
  banGraceMs: open<number>(1_000),
  banToleranceMs: open<number>(50),
  banSeconds: open<number>(120),
  banExtend: choice(false, true),
  banEscalation: open<false | { factor: number; maxSeconds: number }>(false),
  banStatus: choice(429, 403, 401, 418),
};

/** One value for each of them. */
export type LimitSettings = { -readonly [Id in keyof typeof limitSettings]: ValueOf<(typeof limitSettings)[Id]> };
