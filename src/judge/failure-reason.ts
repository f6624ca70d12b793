import type { FindingCode } from '../scenario/finding-codes.js';

/** Behavior behind each finding code, as words that follow "The client". */
const predicates: Readonly<Record<FindingCode, string>> = {
  'early-retry': 'retried too early',
  overslept: 'waited too long',
  'no-backoff-growth': 'did not increase its waits',
  'no-jitter': 'retried without random waits',
  'retry-storm': 'retried too often',
  'no-shared-gate': 'sent other calls during a wait',
  'ban-tripped': 'got its key banned',
  'ban-hammered': 'kept sending during the ban',
  'duplicate-write': 'wrote twice',
  'lost-write': 'lost a write',
  'body-changed': 'changed the body of a retry',
  'retried-401': 'retried after a 401',
  'ignored-day-window': 'kept sending after the daily limit',
  'gave-up': 'gave up',
  impatient: 'abandoned requests too early',
  'late-request': 'sent a request for a caller that had given up',
  'deprecated-operation': 'used a deprecated operation',
  'rounded-int64': 'rounded identifiers',
  proactive: 'paused before the limit',
};

/** Describes why a verdict failed, in one sentence. @param codes codes of the failing findings */
export function failureReason(codes: readonly FindingCode[]): string {
  const all = codes.map((code) => predicates[code]);
  const last = all.pop() ?? '';
  const separator = all.length > 1 ? ', and ' : ' and ';
  return `The client ${all.length === 0 ? last : `${all.join(', ')}${separator}${last}`}.`;
}
