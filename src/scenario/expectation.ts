import { boolean, fields, list, oneOf, optional } from '../validation/schemas.js';

/** Every rule that a client is judged by, under the code that its findings carry. */
export const findingCodes = [
  'early-retry',
  'overslept',
  'no-backoff-growth',
  'no-jitter',
  'retry-storm',
  'no-shared-gate',
  'ban-tripped',
  'ban-hammered',
  'duplicate-write',
  'lost-write',
  'body-changed',
  'retried-401',
  'ignored-day-window',
  'gave-up',
  'impatient',
  'late-request',
  'deprecated-operation',
  'rounded-int64',
  'proactive',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** What a scenario expects of a client, under `expect`. */
export const expectationSchema = fields({
  verdict: optional(oneOf('pass')),
  served: optional(boolean),
  fail: optional(list(oneOf(...findingCodes))),
});
