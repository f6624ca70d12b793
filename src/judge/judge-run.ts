import type { UnrecordedRequests } from '../journal/unrecorded.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { FindingCode } from '../scenario/finding-codes.js';
import type { LeftOutReason } from '../traffic-files/exchange.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { type Amplification, amplificationOf } from './amplification.js';
import { conclude, escalated } from './conclude.js';
import { type Cost, costsOf } from './cost.js';
import type { Finding, Judgement, Remedy, Rule, Severity } from './finding.js';
import { JudgedRequest, KnownRequest } from './judged-request.js';
import { unmetNeed } from './needs.js';
import { remediesFor } from './remedy.js';
import { rules } from './rules.js';
import { createRun, isServed, type Run, type RunFacts } from './run.js';
import { undeclaredCallersIn } from './undeclared-callers.js';

/** A verdict: the judge's opinion on a client's behavior. */
export interface Verdict {
  scenario: string;
  outcome: 'pass' | 'fail' | 'inconclusive';
  /** Reason for the verdict's outcome (pass, fail or inconclusive), in one sentence. */
  reason: string;
  /** Requirement of the scenario that the client did not meet, such as `a POST /pets`; left out if all were met. */
  unmet?: string;
  findings: Finding[];
  /** Settings of the client's libraries that end its failures and warnings. Absent if no library is known. */
  remedies?: readonly Remedy[];
  /**
   * Codes of the judge's rules that the run tested, because the client was in a situation in which it could break the
   * rule. For an untested rule, missing findings prove nothing.
   */
  exercised: FindingCode[];
  /** Requests per call. Absent if the client retried no call. */
  amplification?: Amplification;
  /** What early requests cost each API key. Absent if nothing, or if the journal does not prove it. */
  costs?: Cost[];
  /**
   * Codes of the judge's rules that the run did not test and that have no findings. Set only by the control API and by
   * commands.
   */
  untested?: FindingCode[];
  /**
   * Rules that could not be judged, because the requests were only observed and the rules need the simulator's internal
   * knowledge.
   */
  unknown?: FindingCode[];
  /**
   * Requests without a journal record, because their paths are outside the API. No rule judged these requests. Absent
   * if there were none.
   */
  unrecorded?: readonly UnrecordedRequests[];
  /**
   * Lag of the machine, if the lag could have changed the outcome. Set only by the commands and test kits that run a
   * client.
   */
  lagMs?: number;
  /**
   * Entries of a recording that were no requests to the service, such as cached responses, by reason. Absent if there
   * were none.
   */
  leftOut?: readonly { reason: LeftOutReason; count: number }[];
  /**
   * Counts of requests. `lost`: the client did not get the complete response. `dropped`: the journal removed the record
   * to limit memory.
   */
  counts: { requests: number; served: number; refused: number; banned: number; lost: number; dropped: number };
}

/** Judges a client by its requests to the simulator. @param entries in order of arrival */
export const judgeRun = (entries: readonly RequestRecord[], facts: RunFacts): Verdict =>
  runToEnd(judgeRunInSteps(entries, facts));

/**
 * Judges a client by its requests to the simulator. The generator pauses between steps, so that the caller can do other
 * work.
 * @param entries journal entries of the requests, in order of arrival
 */
export function* judgeRunInSteps(entries: readonly RequestRecord[], facts: RunFacts): Steps<Verdict> {
  const run = yield* createRun(entries, facts, KnownRequest);
  return yield* verdictOn(run, (rule) => rule.judge(run));
}

/**
 * Judges a client by observed requests, such as those of a proxy. Rules that need the simulator's internal knowledge are
 * reported as unknown.
 */
export function judgeObservedRun(entries: readonly RequestRecord[], facts: RunFacts): Verdict {
  const run = runToEnd(createRun(entries, facts, JudgedRequest));
  return runToEnd(verdictOn(run, (rule) => (rule.needs === 'wire' ? rule.judge(run) : undefined)));
}

/**
 * Concludes a verdict on a run from the judgements of all rules.
 * @param judge returns the judgement of a rule; `undefined` if the rule cannot judge the run
 */
export function* verdictOn(run: Run, judge: (rule: Rule) => Judgement | undefined): Steps<Verdict> {
  const { scenario, dropped, unrecorded, expect } = run;
  const judgements = new Map<FindingCode, Judgement>();
  const unknown: FindingCode[] = [];
  for (const [code, rule] of Object.entries(rules) as [FindingCode, Rule][]) {
    const judgement = judge(rule);
    if (judgement === undefined) unknown.push(code);
    else judgements.set(code, judgement);
    yield;
  }
  const { requests } = run;
  const found = [...judgements].flatMap(([code, judgement]) => judgement.findings.map((each) => ({ code, ...each })));
  const callers = undeclaredCallersIn(run);
  yield;
  const findings = found
    .filter((finding) => !callers.excuses(finding))
    .map(({ canFail, ...finding }) => (canFail === false ? finding : escalated(finding, expect)))
    .sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || firstOf(a) - firstOf(b));
  const exercised = [...judgements].filter(([, judgement]) => judgement.exercised).map(([code]) => code);
  yield;
  const blamed = new Set(findings.flatMap(({ severity, requests }) => (severity === 'fail' ? requests : [])));
  const costs = costsOf(run).filter(({ requests }) => requests.some((id) => blamed.has(id)));
  yield;
  const remedies = remediesFor(findings, requests);
  yield;
  const amplification = amplificationOf(run);
  yield;
  const unmet = unmetNeed(requests, run.needs ?? {}, run.operations);
  const doubt = callers.doubtOf(found);
  yield;
  const conclusion = conclude(run, { findings, exercised, callers: doubt, judgements, unmet });
  yield;
  return {
    scenario,
    ...conclusion,
    ...(unmet !== undefined && { unmet }),
    findings,
    ...(remedies.length > 0 && { remedies }),
    exercised,
    ...(costs.length > 0 && { costs }),
    ...(amplification.overall > 1 && { amplification }),
    ...(unknown.length > 0 && { unknown }),
    ...(unrecorded.length > 0 && { unrecorded }),
    counts: { ...countsOf(requests), dropped },
  };
}

function countsOf(requests: readonly JudgedRequest[]) {
  const counts = { requests: requests.length, served: 0, refused: 0, banned: 0, lost: 0 };
  for (const request of requests) {
    const { status, isRefused, isBan, isUnreadable, isAbandoned } = request;
    if (isServed(request)) counts.served++;
    if (isRefused) counts.refused++;
    if (isBan) counts.banned++;
    if (isUnreadable || isAbandoned || status === 0) counts.lost++;
  }
  return counts;
}

const severities: readonly Severity[] = ['fail', 'warn', 'info', 'praise'];

const firstOf = ({ requests: [first = 0] }: Finding) => first;
