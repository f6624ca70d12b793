import type { FindingCode } from '../scenario/expectation.js';
import type { RequestRecord } from '../state/journal.js';
import type { Finding, Rule, Severity } from './finding.js';
import { banHammered } from './rules/ban-hammered.js';
import { banTripped } from './rules/ban-tripped.js';
import { bodyChanged } from './rules/body-changed.js';
import { deprecatedOperation } from './rules/deprecated-operation.js';
import { duplicateWrite } from './rules/duplicate-write.js';
import { earlyRetry } from './rules/early-retry.js';
import { gaveUp } from './rules/gave-up.js';
import { ignoredDayWindow } from './rules/ignored-day-window.js';
import { lostWrite } from './rules/lost-write.js';
import { noBackoffGrowth } from './rules/no-backoff-growth.js';
import { noJitter } from './rules/no-jitter.js';
import { noSharedGate } from './rules/no-shared-gate.js';
import { overslept } from './rules/overslept.js';
import { proactive } from './rules/proactive.js';
import { retried401 } from './rules/retried-401.js';
import { retryStorm } from './rules/retry-storm.js';
import { roundedInt64 } from './rules/rounded-int64.js';
import { type JudgedRequest, prepareRun, type Run } from './run.js';

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
  'ban-hammered',
  'duplicate-write',
  'lost-write',
  'body-changed',
  'gave-up',
  'retried-401',
  'rounded-int64',
  'proactive',
];

/** How the client behaved. */
export interface Verdict {
  scenario: string;
  outcome: 'pass' | 'fail' | 'inconclusive';
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

/** What is known of a run apart from its entries. */
export interface RunState {
  scenario: string;
  /** The instant at which it is judged. */
  nowMs: number;
  /** How many entries the journal has lost; a run with gaps cannot pass. */
  dropped: number;
  /** How many requests are not answered yet. Default 0. */
  pending?: number | undefined;
  /**
   * Whether the client has ended and will send nothing more, so that what it has not done yet it never does. Default
   * `false`: it may still wait.
   */
  isOver?: boolean | undefined;
  expect?: Expectation | undefined;
}

/**
 * Judges a client by its requests.
 * @param entries the journal, in the order of arrival
 */
export function judgeRun(entries: readonly RequestRecord[], state: RunState): Verdict {
  const { scenario, nowMs, dropped, pending = 0, isOver = false, expect = {} } = state;
  const run = prepareRun(entries, { endMs: nowMs, isOver, pending });
  const judgements = Object.entries(rules).map(([code, rule]) => ({ code: code as FindingCode, ...rule(run) }));
  const failing = new Set<string>([...(expect.fail ?? []), ...(expect.served ? ['gave-up', 'lost-write'] : [])]);
  const escalate = (found: Finding): Finding =>
    failing.has(found.code) && found.severity !== 'praise' ? { ...found, severity: 'fail' } : found;
  const findings = judgements
    .flatMap((judgement) => judgement.findings.map(escalate))
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || firstOf(a) - firstOf(b));
  const exercised = judgements.filter((judgement) => judgement.exercised).map(({ code }) => code);
  return {
    scenario,
    ...conclude(run, findings, exercised, dropped, expect),
    findings,
    exercised,
    counts: {
      requests: entries.length,
      served: run.requests.filter(({ status, isRefused }) => status >= 200 && status < 400 && !isRefused).length,
      refused: run.requests.filter(({ isRefused }) => isRefused).length,
      banned: run.requests.filter(({ refusal }) => refusal === 'ban').length,
      dropped,
    },
  };
}

const severities: readonly Severity[] = ['fail', 'warn', 'info', 'praise'];

const firstOf = ({ requests: [first = 0] }: Finding) => first;

/** What was not exercised never passes. */
function conclude(
  { requests }: Run,
  findings: readonly Finding[],
  exercised: readonly FindingCode[],
  dropped: number,
  expect: Expectation,
): Pick<Verdict, 'outcome' | 'reason'> {
  const codesOf = (severity: Severity) => [
    ...new Set(findings.filter((each) => each.severity === severity).map(({ code }) => code)),
  ];
  const failed = codesOf('fail');
  if (failed.length > 0) return { outcome: 'fail', reason: `The client failed ${failed.join(', ')}.` };
  if (dropped > 0) {
    const reason = `The journal has dropped ${dropped} requests, so the run is not known as a whole.`;
    return { outcome: 'inconclusive', reason };
  }
  const isOnlyUnauthorized =
    requests.length > 0 && requests.every(({ status, isRefused }) => status === 401 && !isRefused);
  if (isOnlyUnauthorized && !expect.fail?.includes('retried-401')) {
    return { outcome: 'inconclusive', reason: 'Every request was a 401: check the API key of the client.' };
  }
  if (!tellingRules.some((code) => exercised.includes(code))) {
    return { outcome: 'inconclusive', reason: whyUntold(requests) };
  }
  const warned = codesOf('warn');
  const but = warned.length > 0 ? `, but see ${warned.join(', ')}` : '';
  return { outcome: 'pass', reason: `The client did what the service asked${but}.` };
}

function whyUntold(requests: readonly JudgedRequest[]): string {
  if (requests.length === 0) return 'No request came.';
  if (!requests.some(({ isRefused }) => isRefused)) {
    return 'No request was refused and no answer was lost, so nothing was put to the test; a scenario such as minute-wall does it.';
  }
  return 'The client was refused, and nothing tells whether it came back: name its calls in X-Sim-Call, or let it run longer.';
}
