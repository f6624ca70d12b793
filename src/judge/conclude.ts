import type { Outage } from '../journal/outage.js';
import type { UnrecordedRequests } from '../journal/unrecorded.js';
import type { FindingCode } from '../scenario/finding-codes.js';
import { counted } from '../values/counted.js';
import { failureReason } from './failure-reason.js';
import { type Finding, type Severity, span } from './finding.js';
import { isOverdue, orError } from './given-up.js';
import type { ClientNeeds } from './needs.js';
import { describeOutages } from './outages.js';
import { patienceMs } from './rules/overslept.js';
import { graceMs, isUnknown, isWrite, type JudgedRequest, type Run } from './run.js';
import { describeOutside } from './unrecorded.js';

/** Client behavior that a scenario expects. */
export interface Expectation {
  /** Whether the client must get a successful response. If so, giving up fails even with an error for the caller. */
  served?: boolean | undefined;
  /** Findings that fail in this scenario instead of warning. These are also the rules that the run must test. */
  fail?: readonly FindingCode[] | undefined;
}

/** Rules about error handling. A run that tests none of these is inconclusive. */
const conclusiveRules: readonly FindingCode[] = [
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

/** Maximum remaining wait for which a longer test is suggested, in milliseconds. */
const testableMs = 600_000;

/**
 * End of the text `allowed` of a finding, for a scenario that requires a successful response. Other scenarios accept an
 * error for the caller.
 */
const endingIfServed: Partial<Record<FindingCode, string>> = {
  'gave-up': ': the scenario requires a successful response',
  'lost-write': ': the scenario requires a successful response',
};

/**
 * Raises a finding to `fail` according to the scenario. Giving up with an error for the caller fails only if the
 * scenario requires a successful response.
 */
export function escalated(found: Finding, { served = false, fail = [] }: Expectation): Finding {
  const ending = endingIfServed[found.code];
  const isAskedFor = served && ending !== undefined;
  const fails = isAskedFor || (fail.includes(found.code) && (ending === undefined || found.severity !== 'info'));
  if (!fails || found.severity === 'praise') return found;
  const allowed = isAskedFor ? found.allowed.replace(orError, ending) : found.allowed;
  return { ...found, severity: 'fail', allowed };
}

/** Results of all rules, and gaps in the journal. */
interface Results {
  findings: readonly Finding[];
  exercised: readonly FindingCode[];
  /** Reason why the requests may come from several callers. */
  callers: string | undefined;
  /** Reasons of rules that cannot decide, by code. */
  doubts: ReadonlyMap<FindingCode, string>;
  unmet: string | undefined;
  dropped: number;
  outages: readonly Outage[];
  unrecorded: readonly UnrecordedRequests[];
  expect: Expectation;
}

/** Determines the outcome. A run without relevant tests is inconclusive, never a pass. */
export function conclude(
  run: Run,
  { findings, exercised, callers, doubts, unmet, dropped, outages, unrecorded, expect }: Results,
): { outcome: 'pass' | 'fail' | 'inconclusive'; reason: string } {
  const inconclusive = (reason: string) => ({ outcome: 'inconclusive' as const, reason });
  const codesOf = (severity: Severity) => [
    ...new Set(findings.filter((each) => each.severity === severity).map(({ code }) => code)),
  ];
  const failed = codesOf('fail');
  if (failed.length > 0) return { outcome: 'fail', reason: failureReason(failed) };
  if (outages.length > 0) return inconclusive(describeOutages(outages));
  if (dropped > 0)
    return inconclusive(`The journal has dropped ${counted(dropped, 'request')}, so the run is incomplete.`);
  if (isWrongKey(run.requests, expect, run.needs)) {
    return inconclusive("Every request got a 401: check the client's API key.");
  }
  if (unmet !== undefined) return inconclusive(`The client did not do what the scenario needs: ${unmet}.`);
  const waiting = stillWaiting(run);
  if (waiting !== undefined) return inconclusive(waiting);
  const doubt = [callers, ...rulesOf(expect).map((code) => doubts.get(code))].find((each) => each !== undefined);
  if (doubt !== undefined) return inconclusive(doubt);
  if (!isConclusive(exercised, expect)) return inconclusive(whyInconclusive(run, expect, unrecorded));
  const warned = codesOf('warn');
  const but = warned.length > 0 ? `, but see ${warned.join(', ')}` : '';
  return { outcome: 'pass', reason: `The client did what ${run.service ?? 'the service'} asked${but}.` };
}

/** Whether the run tested enough: one of the scenario's own rules, or otherwise any rule about error handling. */
function isConclusive(exercised: readonly FindingCode[], expect: Expectation): boolean {
  const about = rulesOf(expect);
  // A client that pauses at Remaining 0 is never refused, so tests no other rule.
  return (about.length > 0 ? [...about, 'proactive' as const] : conclusiveRules).some((code) =>
    exercised.includes(code),
  );
}

/** The scenario's own rules, from `expect`. */
const rulesOf = ({ fail = [], served = false }: Expectation): FindingCode[] => [
  ...fail,
  ...(served ? (['gave-up'] as const) : []),
];

/** Whether the client probably used a wrong API key: every response is a 401 that the scenario does not intend. */
function isWrongKey(
  requests: readonly JudgedRequest[],
  { fail = [] }: Expectation,
  { key }: ClientNeeds = {},
): boolean {
  if (requests.length === 0 || !requests.every(({ status, isRefused }) => status === 401 && !isRefused)) return false;
  return (
    !fail.includes('retried-401') || requests.every(({ token }) => token === undefined || (key ?? token) !== token)
  );
}

/** Reason for an inconclusive outcome if the run was stopped before or soon after the end of a required wait. */
function stillWaiting(run: Run): string | undefined {
  const { requests, end, endMs } = run;
  const last = requests.at(-1);
  // The client's reaction to a write without a response shows only later.
  if (end?.isInterrupted && last !== undefined && isDisconnectedBy(last, endMs) && isWrite(last))
    return 'The run was stopped while the client waited for a response: allow more time.';
  if (!end?.isInterrupted || !last?.isRefused || isOverdue(last, run)) return undefined;
  const more = 'allow more time.';
  const { deadlineMs } = last;
  if (deadlineMs === undefined) return `The run was stopped before the client retried a refused request: ${more}`;
  const leftMs = deadlineMs - endMs;
  if (leftMs > testableMs) {
    return `The run was stopped during the required wait, ${span(leftMs)} before its end: limit the client's wait, and fail with an error instead.`;
  }
  if (-leftMs > patienceMs(last)) {
    return `The run was stopped ${span(-leftMs)} after the required wait, before the client retried: ${more}`;
  }
  return `The run was stopped ${leftMs > 0 ? `during the required wait, ${span(leftMs)} before its end` : 'soon after the required wait'}: ${more}`;
}

/** Whether the client disconnected from a response when it was stopped, or shortly before. */
const isDisconnectedBy = ({ status, isAbandoned, finishedAtMs }: JudgedRequest, endMs: number) =>
  (status === 0 || isAbandoned) && endMs - finishedAtMs <= graceMs;

function whyInconclusive(
  { requests, isOver, end, idle, service }: Run,
  { fail = [] }: Expectation,
  unrecorded: readonly UnrecordedRequests[],
): string {
  if (requests.length === 0) return describeOutside(unrecorded) ?? 'No requests received.';
  if (requests.some(isUnknown)) {
    const hangs = requests.some(({ isUnreadable }) => isUnreadable);
    const when = end?.isInterrupted ? ' before it was stopped' : isOver ? '' : ' yet';
    const how =
      end?.isInterrupted && hangs ? `${when}: if the client was still waiting, it needs a timeout of its own` : when;
    return `Responses were lost, and no request shows the client's reaction${how}.`;
  }
  if (!requests.some(({ isRefused }) => isRefused)) {
    const next =
      idle ??
      (service === undefined
        ? '--scenario minute-wall tests a client in ten seconds.'
        : `Record the client while ${service} refuses its requests.`);
    return `No request was refused and no response was lost, so nothing was put to the test. ${next}`;
  }
  if (fail.length > 0) {
    const how = fail.includes('late-request')
      ? ' Report when a caller gives up: POST /__sim/outcome with the result "aborted".'
      : '';
    return `The client was refused, but nothing put the scenario's rules to the test: ${fail.join(', ')}.${how}`;
  }
  return 'The client was refused, and no request shows whether it retried: name its calls in X-Sim-Call, or let it run longer.';
}
