import type { Outage } from '../journal/outage.js';
import type { UnrecordedRequests } from '../journal/unrecorded.js';
import type { FindingCode } from '../scenario/expectation.js';
import { counted } from '../values/counted.js';
import { type Finding, type Severity, span } from './finding.js';
import { isOverdue, orError } from './given-up.js';
import type { ClientNeeds } from './needs.js';
import { describeOutages } from './outages.js';
import { patienceMs } from './rules/overslept.js';
import { graceMs, isUnknown, isWrite, type JudgedRequest, type Run } from './run.js';
import { describeOutside } from './unrecorded.js';

/** What a scenario expects of a client. */
export interface Expectation {
  /** The scenario asks for the answer in the end, so giving up fails even where the caller is told. */
  served?: boolean | undefined;
  /** Findings that fail here, though elsewhere they only warn; and the rules that the scenario is about. */
  fail?: readonly FindingCode[] | undefined;
}

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

/** Longest rest of a wait for which a test can be given more time, in milliseconds. */
const testableMs = 600_000;

/** Ending of `allowed` in place of an error for the caller, if the scenario asks for the answer. */
const ifServed: Partial<Record<FindingCode, string>> = {
  'gave-up': ': the scenario asks for the answer in the end',
  'lost-write': ': the scenario asks for it',
};

/** What the scenario names fails. That a client gave up and said so fails only where the scenario asks for the answer. */
export function escalated(found: Finding, { served = false, fail = [] }: Expectation): Finding {
  const ending = ifServed[found.code];
  const isAskedFor = served && ending !== undefined;
  const fails = isAskedFor || (fail.includes(found.code) && (ending === undefined || found.severity !== 'info'));
  if (!fails || found.severity === 'praise') return found;
  const allowed = isAskedFor ? found.allowed.replace(orError, ending) : found.allowed;
  return { ...found, severity: 'fail', allowed };
}

/** What the rules came to. */
interface Results {
  findings: readonly Finding[];
  exercised: readonly FindingCode[];
  /** Why requests may be of several callers, and nobody can tell. */
  callers: string | undefined;
  /** Why a rule could not tell, by its code. */
  doubts: ReadonlyMap<FindingCode, string>;
  unmet: string | undefined;
  dropped: number;
  outages: readonly Outage[];
  unrecorded: readonly UnrecordedRequests[];
  expect: Expectation;
}

/** What was not exercised never passes. */
export function conclude(
  run: Run,
  { findings, exercised, callers, doubts, unmet, dropped, outages, unrecorded, expect }: Results,
): { outcome: 'pass' | 'fail' | 'inconclusive'; reason: string } {
  const inconclusive = (reason: string) => ({ outcome: 'inconclusive' as const, reason });
  const codesOf = (severity: Severity) => [
    ...new Set(findings.filter((each) => each.severity === severity).map(({ code }) => code)),
  ];
  const failed = codesOf('fail');
  if (failed.length > 0) return { outcome: 'fail', reason: `The client failed ${failed.join(', ')}.` };
  if (outages.length > 0) return inconclusive(describeOutages(outages));
  if (dropped > 0)
    return inconclusive(`The journal has dropped ${counted(dropped, 'request')}, so the run is not known as a whole.`);
  if (isWrongKey(run.requests, expect, run.needs)) {
    return inconclusive('Every request was a 401: check the API key of the client.');
  }
  if (unmet !== undefined) return inconclusive(`The scenario was not met: it needs ${unmet}.`);
  const waiting = stillWaiting(run);
  if (waiting !== undefined) return inconclusive(waiting);
  const doubt = [callers, ...rulesOf(expect).map((code) => doubts.get(code))].find((each) => each !== undefined);
  if (doubt !== undefined) return inconclusive(doubt);
  if (!isTold(exercised, expect)) return inconclusive(whyUntold(run, expect, unrecorded));
  const warned = codesOf('warn');
  const but = warned.length > 0 ? `, but see ${warned.join(', ')}` : '';
  return { outcome: 'pass', reason: `The client did what the service asked${but}.` };
}

/** A scenario that is about certain rules passes only where one of them was put to the test; else any telling rule. */
function isTold(exercised: readonly FindingCode[], expect: Expectation): boolean {
  const about = rulesOf(expect);
  // A client that pauses by itself is never put to the test of a refusal.
  return (about.length > 0 ? [...about, 'proactive' as const] : tellingRules).some((code) => exercised.includes(code));
}

/** The rules that a scenario is about. */
const rulesOf = ({ fail = [], served = false }: Expectation): FindingCode[] => [
  ...fail,
  ...(served ? (['gave-up'] as const) : []),
];

/** Nothing but 401s shows nothing, unless the scenario is about them and the key was the one that it hands out. */
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

/** A client that was stopped before it came back, in the wait that an answer had asked for or soon after, has done nothing wrong. */
function stillWaiting(run: Run): string | undefined {
  const { requests, end, endMs } = run;
  const last = requests.at(-1);
  // What a client makes of a write without an answer shows only afterwards.
  if (end?.isInterrupted && last !== undefined && isLeftBy(last, endMs) && isWrite(last))
    return 'The run was stopped while the client waited for an answer: give it more time.';
  if (!end?.isInterrupted || !last?.isRefused || isOverdue(last, run)) return undefined;
  const more = 'give it more time.';
  const { deadlineMs } = last;
  if (deadlineMs === undefined) return `The run was stopped before the client came back from a refusal: ${more}`;
  const leftMs = deadlineMs - endMs;
  if (leftMs > testableMs) {
    return `The run was stopped while the client waited as it was asked to, ${span(leftMs)} before the end of that wait: bound the wait, and give up with an error.`;
  }
  if (-leftMs > patienceMs(last)) {
    return `The run was stopped ${span(-leftMs)} after the wait that the client was asked for, and it had not come back yet: ${more}`;
  }
  return `The run was stopped while the client waited as it was asked to${leftMs > 0 ? `, ${span(leftMs)} before the end of that wait` : ''}: ${more}`;
}

/** Whether the client left the answer when it was stopped, or right before. */
const isLeftBy = ({ status, isAbandoned, finishedAtMs }: JudgedRequest, endMs: number) =>
  (status === 0 || isAbandoned) && endMs - finishedAtMs <= graceMs;

function whyUntold(
  { requests, isOver, end, idle }: Run,
  { fail = [] }: Expectation,
  unrecorded: readonly UnrecordedRequests[],
): string {
  if (requests.length === 0) return describeOutside(unrecorded) ?? 'No request came.';
  if (requests.some(isUnknown)) {
    const hangs = requests.some(({ isUnreadable }) => isUnreadable);
    const when = end?.isInterrupted ? ' before it was stopped' : isOver ? '' : ' yet';
    const how = end?.isInterrupted && hangs ? `${when}: if it still waited, it needs a time limit of its own` : when;
    return `Answers were lost on their way, and nothing shows what the client made of it${how}.`;
  }
  if (!requests.some(({ isRefused }) => isRefused)) {
    const next = idle ?? '--scenario minute-wall does that, in ten seconds.';
    return `No request was refused and no answer was lost, so nothing was put to the test. ${next}`;
  }
  if (fail.length > 0) {
    const how = fail.includes('late-request')
      ? ' Say when the caller of a call gives up: POST /__sim/outcome with the result "aborted".'
      : '';
    return `The client was refused, but nothing put what the scenario is about to the test: ${fail.join(', ')}.${how}`;
  }
  return 'The client was refused, and nothing shows whether it came back: name its calls in X-Sim-Call, or let it run longer.';
}
