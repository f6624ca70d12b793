import type { OperationName, PlanLimits } from './document.js';
import type { ErrorCode } from './error-codes.js';

/** Any value of a kind (a number, a list, a map); scenario/schema.ts says which. */
interface Open<Value> {
  readonly default: Value;
}

/** One of a few values: the default and the others. */
interface Choice<Value> extends Open<Value> {
  readonly others: readonly Value[];
}

const choice = <const Value>(byDefault: Value, ...others: Value[]): Choice<Value> => ({ default: byDefault, others });
const open = <Value>(byDefault: Value): Open<Value> => ({ default: byDefault });

/** Largest request body, in bytes (assumption `bodyTooLarge`). A NewPet needs a few hundred. */
export const maximumBodyBytes = 64 * 1024;

/** What the simulator does at every point that the document leaves open: the default first. assumptions.ts asks the questions. */
export const settingValues = {
  defaultStatus: choice('available', 'pending', 'sold', 'absent'),
  unknownCategory: choice('accept', 'reject'),
  unknownFields: choice('ignore', 'reject', 'echo'),
  emptyName: choice('accept', 'reject'),
  listOrder: choice('id-ascending', 'newest-first', 'shuffled'),
  paging: choice('none', 'cursor', 'offset', 'page'),
  limitOutOfRange: choice('reject', 'clamp', 'default'),
  unknownStatusFilter: choice('reject', 'empty', 'ignore'),
  unknownQuery: choice('ignore', 'reject'),
  malformedPetId: choice('not-found', 'reject'),
  contentType: choice('reject', 'accept', 'unsupported'),
  bodyTooLarge: choice('payload-too-large'),
  unknownRoute: choice('not-found'),
  unknownMethod: choice('method-not-allowed', 'not-found'),
  errorCodes: open<Partial<Record<ErrorCode, string>>>({}),
  acceptAnyKey: choice(false, true),
  unauthorizedHeaders: choice('full', 'omit', 'remaining-zero'),
  limitsApply: open<'all' | 'none' | readonly OperationName[]>('all'),
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
  deprecation: choice('silent', 'headers'),
  afterRemoval: choice('not-found', 'gone', 'keep'),
  cors: open<'loopback' | 'hidden' | 'off' | readonly string[]>('loopback'),
};

export type AssumptionId = keyof typeof settingValues;

/** The assumptions with a closed set of values. */
export type ChoiceId = {
  [Id in AssumptionId]: (typeof settingValues)[Id] extends Choice<unknown> ? Id : never;
}[AssumptionId];

/** What the simulator does at every open point: one value an assumption. */
export type Settings = {
  -readonly [Id in AssumptionId]: (typeof settingValues)[Id] extends Open<infer Value> ? Value : never;
};

/** The default of every assumption. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [id, value.default]),
) as unknown as Settings;
