import type { FindingCode } from '../scenario/finding-codes.js';
import type { Rule } from './finding.js';
import { amplification } from './rules/amplification.js';
import { banHammered } from './rules/ban-hammered.js';
import { banTripped } from './rules/ban-tripped.js';
import { bodyChanged } from './rules/body-changed.js';
import { changedKey } from './rules/changed-key.js';
import { changedRequest } from './rules/changed-request.js';
import { deprecatedOperation } from './rules/deprecated-operation.js';
import { duplicateWrite } from './rules/duplicate-write.js';
import { earlyRetry } from './rules/early-retry.js';
import { gaveUp } from './rules/gave-up.js';
import { ignoredDayWindow } from './rules/ignored-day-window.js';
import { impatient } from './rules/impatient.js';
import { lateRequest } from './rules/late-request.js';
import { lostWrite } from './rules/lost-write.js';
import { noBackoffGrowth } from './rules/no-backoff-growth.js';
import { noDelay } from './rules/no-delay.js';
import { noJitter } from './rules/no-jitter.js';
import { noSharedGate } from './rules/no-shared-gate.js';
import { overslept } from './rules/overslept.js';
import { proactive } from './rules/proactive.js';
import { retried4xx } from './rules/retried-4xx.js';
import { retried401 } from './rules/retried-401.js';
import { retriedPermanent } from './rules/retried-permanent.js';
import { retryStorm } from './rules/retry-storm.js';
import { roundedInt64 } from './rules/rounded-int64.js';

/** All rules of the judge, by their finding code. */
export const rules: Readonly<Record<FindingCode, Rule>> = {
  'early-retry': earlyRetry,
  overslept,
  'no-backoff-growth': noBackoffGrowth,
  'no-jitter': noJitter,
  'retry-storm': retryStorm,
  'no-shared-gate': noSharedGate,
  'ban-tripped': banTripped,
  'ban-hammered': banHammered,
  'duplicate-write': duplicateWrite,
  'lost-write': lostWrite,
  'body-changed': bodyChanged,
  'retried-401': retried401,
  'ignored-day-window': ignoredDayWindow,
  'gave-up': gaveUp,
  impatient,
  'late-request': lateRequest,
  'deprecated-operation': deprecatedOperation,
  'rounded-int64': roundedInt64,
  'no-delay': noDelay,
  'retried-4xx': retried4xx,
  'retried-permanent': retriedPermanent,
  'changed-request': changedRequest,
  'changed-key': changedKey,
  amplification,
  proactive,
};
