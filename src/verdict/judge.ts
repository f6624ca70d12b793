import type { JournalEntry } from '../state/journal.js';
import { banHammered } from './ban-hammered.js';
import { banTripped } from './ban-tripped.js';
import { bodyChanged } from './body-changed.js';
import { deprecatedOperation } from './deprecated-operation.js';
import { duplicateWrite } from './duplicate-write.js';
import { earlyRetry } from './early-retry.js';
import type { Finding, FindingCode, Rule } from './finding.js';
import { gaveUp } from './gave-up.js';
import { ignoredDayWindow } from './ignored-day-window.js';
import { lostWrite } from './lost-write.js';
import { noBackoffGrowth } from './no-backoff-growth.js';
import { noJitter } from './no-jitter.js';
import { noSharedGate } from './no-shared-gate.js';
import { overslept } from './overslept.js';
import { proactive } from './proactive.js';
import { retried401 } from './retried-401.js';
import { retryStorm } from './retry-storm.js';
import { roundedInt64 } from './rounded-int64.js';
import { prepareRun } from './run.js';

const rules: Record<FindingCode, Rule> = {
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
  'deprecated-operation': deprecatedOperation,
  'rounded-int64': roundedInt64,
  proactive,
};

/** Rules about what a client does in trouble: a run that exercises none of them says nothing about the client. */
const tellingRules: readonly FindingCode[] = [
  'early-retry',
  'duplicate-write',
  'lost-write',
  'retried-401',
  'ban-hammered',
  'rounded-int64',
  'proactive',
];

/** How the client behaved. */
export interface Verdict {
  scenario: string;
  verdict: 'pass' | 'fail' | 'inconclusive';
  /** In one sentence, why it is this verdict. */
  reason: string;
  findings: Finding[];
  /** The rules that the run put to the test. */
  exercised: FindingCode[];
  counts: { requests: number; served: number; refused: number; banned: number; dropped: number };
}

/** What a scenario expects of a client. */
export interface Expectation {
  /** The client is expected to be served in the end, so giving up fails. */
  served?: boolean | undefined;
  /** Findings that fail here, though elsewhere they only warn. */
  fail?: readonly string[] | undefined;
}

/**
 * Judges a client by its requests.
 * @param entries the journal, in the order of arrival
 * @param run.dropped how many entries the journal has lost; a run with gaps cannot pass
 */
export function judge(
  entries: readonly JournalEntry[],
  run: { scenario: string; nowMs: number; dropped: number; expect?: Expectation | undefined },
): Verdict {
  const prepared = prepareRun(entries, run.nowMs);
  const judgements = Object.entries(rules).map(([code, rule]) => ({ code: code as FindingCode, ...rule(prepared) }));
  const failing = new Set<string>([
    ...(run.expect?.fail ?? []),
    ...(run.expect?.served ? ['gave-up', 'lost-write'] : []),
  ]);
  const findings = judgements
    .flatMap((judgement) => judgement.findings)
    .map((found) =>
      failing.has(found.code) && found.severity !== 'praise' ? { ...found, severity: 'fail' as const } : found,
    )
    .sort((a, b) => (a.requests[0] ?? 0) - (b.requests[0] ?? 0));
  const exercised = judgements.filter((judgement) => judgement.exercised).map(({ code }) => code);
  const refused = prepared.requests.filter(({ isRefused }) => isRefused);
  return {
    scenario: run.scenario,
    ...conclude(findings, exercised, refused.length, run.dropped),
    findings,
    exercised,
    counts: {
      requests: entries.length,
      served: prepared.requests.filter(({ status }) => status >= 200 && status < 400).length,
      refused: refused.length,
      banned: refused.filter(({ refusal }) => refusal === 'ban').length,
      dropped: run.dropped,
    },
  };
}

/** What was not exercised never passes. */
function conclude(
  findings: readonly Finding[],
  exercised: readonly FindingCode[],
  refusedCount: number,
  dropped: number,
): Pick<Verdict, 'verdict' | 'reason'> {
  const failed = findings.filter(({ severity }) => severity === 'fail');
  if (failed.length > 0) {
    const codes = [...new Set(failed.map(({ code }) => code))];
    return { verdict: 'fail', reason: `The client failed ${codes.join(', ')}.` };
  }
  if (dropped > 0) {
    return {
      verdict: 'inconclusive',
      reason: `The journal has dropped ${dropped} requests, so the run is not known as a whole.`,
    };
  }
  if (!tellingRules.some((code) => exercised.includes(code))) {
    const reason =
      refusedCount === 0
        ? 'No request was refused and no answer was lost, so nothing was put to the test.'
        : 'The client was refused, and the run ended before it came back.';
    return { verdict: 'inconclusive', reason };
  }
  return { verdict: 'pass', reason: 'The client did what the service asked.' };
}
