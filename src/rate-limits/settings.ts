import type { WindowName } from '../requests/request-record.js';
import { type DocumentedWindow, documentedNames } from '../values/window-fields.js';
import type { LimitChanges } from './plan-limits.js';

/** Scenario setting whose possible values are not a fixed list, such as a number. */
export interface Open<Value> {
  readonly default: Value;
}

/** A scenario setting with a fixed list of values: the default and the alternatives. */
export interface Choice<Value> extends Open<Value> {
  readonly others: readonly Value[];
}

export const choice = <const Value>(byDefault: Value, ...others: Value[]): Choice<Value> => ({
  default: byDefault,
  others,
});
export const open = <Value>(byDefault: Value): Open<Value> => ({ default: byDefault });

/**
 * Type of an object with one value for each setting, derived from a table of the settings with their defaults and
 * alternatives.
 */
export type ValuesOf<Settings> = {
  -readonly [Id in keyof Settings]: Settings[Id] extends Open<infer Value> ? Value : never;
};

/**
 * Scenario settings for API keys, limits and bans where the API's documentation is silent. The first value of each is
 * the default.
 */
export const limitSettings = {
  acceptAnyKey: choice(false, true),
  unauthorizedHeaders: choice('full', 'omit', 'remaining-zero'),
  limitsApply: open<'all' | 'none' | readonly string[]>('all'),
  enterpriseLimits: open<LimitChanges>({ minute: 5_000, day: 1_000_000 } satisfies Record<DocumentedWindow, number>),
  algorithm: choice('fixed-window', 'sliding-log', 'token-bucket'),
  windowStart: choice('first-request', 'clock'),
  rejectedCounts: choice('none', 'other-windows', 'all'),
  reportedWindow: choice<'least-remaining' | WindowName>('least-remaining', ...documentedNames),
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

/** Values of all scenario settings for API keys, limits and bans. */
export type LimitSettings = ValuesOf<typeof limitSettings>;
