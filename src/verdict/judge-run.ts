import type { FindingCode } from '../scenario/expectation.js';
import type { ReportedOutcome, RequestRecord } from '../state/request-record.js';
import type { Finding, Rule, Severity } from './finding.js';
import { span } from './finding.js';
import { type ClientNeeds, unmetNeed } from './needs.js';
import { banHammered } from './rules/ban-hammered.js';
import { banTripped } from './rules/ban-tripped.js';
import { bodyChanged } from './rules/body-changed.js';
import { deprecatedOperation } from './rules/deprecated-operation.js';
import { duplicateWrite } from './rules/duplicate-write.js';
import { earlyRetry } from './rules/early-retry.js';
import { gaveUp } from './rules/gave-up.js';
import { ignoredDayWindow } from './rules/ignored-day-window.js';
import { impatient } from './rules/impatient.js';
import { lateRequest } from './rules/late-request.js';
import { lostWrite } from './rules/lost-write.js';
import { noBackoffGrowth } from './rules/no-backoff-growth.js';
import { noJitter } from './rules/no-jitter.js';
import { noSharedGate } from './rules/no-shared-gate.js';
import { overslept, patienceMs } from './rules/overslept.js';
import { proactive } from './rules/proactive.js';
import { retried401 } from './rules/retried-401.js';
import { retryStorm } from './rules/retry-storm.js';
import { roundedInt64 } from './rules/rounded-int64.js';
import { type ClientEnd, isUnknown, type JudgedRequest, prepareRun, type Run } from './run.js';

/** Every rule, by the code of its findings. */
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
  /** In one sentence, why it is this outcome. */
  reason: string;
  /** What the client did not do although the scenario needs it, such as `a POST /pets`; only where that is so. */
  unmet?: string;
  findings: Finding[];
  /** The rules that the run put to the test. */
  exercised: FindingCode[];
  /** `lost` are requests whose answer did not reach the client whole; `dropped` are no longer in the journal. */
  counts: { requests: number; served: number; refused: number; banned: number; lost: number; dropped: number };
}

/** What a scenario expects of a client. */
export interface Expectation {
  /** The scenario asks for the answer in the end, so giving up fails even where the caller is told. */
  served?: boolean | undefined;
  /** Findings that fail here, though elsewhere they only warn; and the rules that the scenario is about. */
  fail?: readonly FindingCode[] | undefined;
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
  /** How the client's process ended, where somebody waited for it. */
  end?: ClientEnd | undefined;
  /** What the client said of its own calls. */
  outcomes?: readonly ReportedOutcome[] | undefined;
  expect?: Expectation | undefined;
  /** What the scenario needs of a client so that it is met. */
  needs?: ClientNeeds | undefined;
}

/**
 * Judges a client by its requests.
 * @param entries the journal, in the order of arrival
 */
export function judgeRun(entries: readonly RequestRecord[], state: RunState): Verdict {
  const { scenario, nowMs, dropped, pending = 0, isOver = false, end, outcomes, expect = {}, needs = {} } = state;
  const run = prepareRun(entries, { endMs: nowMs, isOver, pending, end, outcomes }, (needs.parallel ?? 1) > 1);
  const judgements = Object.entries(rules).map(([code, rule]) => ({ code: code as FindingCode, ...rule.judge(run) }));
  const findings = judgements
    .flatMap((judgement) => judgement.findings.map((found) => escalated(found, expect)))
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || firstOf(a) - firstOf(b));
  const exercised = judgements.filter((judgement) => judgement.exercised).map(({ code }) => code);
  const unmet = unmetNeed(run.requests, needs);
  return {
    scenario,
    ...conclude(run, { findings, exercised, unmet, dropped, expect, needs }),
    ...(unmet !== undefined && { unmet }),
    findings,
    exercised,
    counts: {
      requests: entries.length,
      served: run.requests.filter((request) => isServed(request) && !isUnknown(request)).length,
      refused: run.requests.filter(({ isRefused }) => isRefused).length,
      banned: run.requests.filter(({ refusal }) => refusal === 'ban').length,
      lost: run.requests.filter(({ isUnreadable, isAbandoned, status }) => isUnreadable || isAbandoned || status === 0)
        .length,
      dropped,
    },
  };
}

const isServed = ({ status, isRefused }: JudgedRequest) => status >= 200 && status < 400 && !isRefused;

/** What the scenario names fails. That a client gave up and said so fails only where the scenario asks for the answer. */
function escalated(found: Finding, { served = false, fail = [] }: Expectation): Finding {
  const isGivingUp = found.code === 'gave-up' || found.code === 'lost-write';
  const fails = (served && isGivingUp) || (fail.includes(found.code) && !(isGivingUp && found.severity === 'info'));
  return fails && found.severity !== 'praise' ? { ...found, severity: 'fail' } : found;
}

const severities: readonly Severity[] = ['fail', 'warn', 'info', 'praise'];

const firstOf = ({ requests: [first = 0] }: Finding) => first;

interface Findings {
  findings: readonly Finding[];
  exercised: readonly FindingCode[];
  unmet: string | undefined;
  dropped: number;
  expect: Expectation;
  needs: ClientNeeds;
}

/** What was not exercised never passes. */
function conclude(
  run: Run,
  { findings, exercised, unmet, dropped, expect, needs }: Findings,
): Pick<Verdict, 'outcome' | 'reason'> {
  const inconclusive = (reason: string) => ({ outcome: 'inconclusive' as const, reason });
  const codesOf = (severity: Severity) => [
    ...new Set(findings.filter((each) => each.severity === severity).map(({ code }) => code)),
  ];
  const failed = codesOf('fail');
  if (failed.length > 0) return { outcome: 'fail', reason: `The client failed ${failed.join(', ')}.` };
  if (dropped > 0)
    return inconclusive(`The journal has dropped ${dropped} requests, so the run is not known as a whole.`);
  if (isWrongKey(run.requests, expect, needs)) {
    return inconclusive('Every request was a 401: check the API key of the client.');
  }
  if (unmet !== undefined) return inconclusive(`The scenario was not met: it needs ${unmet}.`);
  const waiting = stillWaiting(run);
  if (waiting !== undefined) return inconclusive(waiting);
  if (!isTold(exercised, expect)) return inconclusive(whyUntold(run, expect));
  const warned = codesOf('warn');
  const but = warned.length > 0 ? `, but see ${warned.join(', ')}` : '';
  return { outcome: 'pass', reason: `The client did what the service asked${but}.` };
}

/** A scenario that is about certain rules passes only where one of them was put to the test; else any telling rule. */
function isTold(exercised: readonly FindingCode[], { fail = [], served = false }: Expectation): boolean {
  const about = [...fail, ...(served ? (['gave-up'] as const) : [])];
  // A client that pauses by itself is never put to the test of a refusal.
  return (about.length > 0 ? [...about, 'proactive' as const] : tellingRules).some((code) => exercised.includes(code));
}

/** Nothing but 401s shows nothing, unless the scenario is about them and the key was the one that it hands out. */
function isWrongKey(requests: readonly JudgedRequest[], { fail = [] }: Expectation, { key }: ClientNeeds): boolean {
  if (requests.length === 0 || !requests.every(({ status, isRefused }) => status === 401 && !isRefused)) return false;
  return !fail.includes('retried-401') || (key !== undefined && requests.every(({ token }) => token !== key));
}

/** A client that was stopped in the middle of a wait that an answer had asked for has done nothing wrong. */
function stillWaiting({ requests, end, endMs }: Run): string | undefined {
  const last = requests.findLast(({ isRefused }) => isRefused);
  if (!end?.isInterrupted || last?.deadlineMs === undefined) return undefined;
  if (requests.at(-1) !== last || endMs > last.deadlineMs + patienceMs(last)) return undefined;
  const leftMs = last.deadlineMs - endMs;
  return `The run was stopped while the client waited as it was asked to${leftMs > 0 ? `, ${span(leftMs)} before the end of that wait` : ''}: give it more time with --timeout.`;
}

function whyUntold({ requests, isOver }: Run, { fail = [] }: Expectation): string {
  if (requests.length === 0) return 'No request came.';
  if (requests.some(isUnknown)) {
    return `Answers were lost on their way, and nothing shows what the client made of it${isOver ? '' : ' yet'}.`;
  }
  if (!requests.some(({ isRefused }) => isRefused)) {
    return 'No request was refused and no answer was lost, so nothing was put to the test. Start with a key that is used up: --set keys.free-key.usage.minute=60.';
  }
  if (fail.length > 0)
    return `The client was refused, but nothing put what the scenario is about to the test: ${fail.join(', ')}.`;
  return 'The client was refused, and nothing shows whether it came back: name its calls in X-Sim-Call, or let it run longer.';
}
