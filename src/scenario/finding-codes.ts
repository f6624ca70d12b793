/** Codes of the findings that the judge can report about a client. */
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
