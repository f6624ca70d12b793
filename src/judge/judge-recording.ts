import { type Reads, writes } from '../requests/reads.js';
import type { Exchange, LeftOutEntry, LeftOutReason, Missing } from '../traffic-files/exchange.js';
import { groupBy } from '../values/group-by.js';
import { textOfBytes } from '../values/json-bytes.js';
import { runToEnd } from '../values/steps.js';
import { afterCut } from './conclude.js';
import { findBlockingLacks, withDerivedLacks } from './evidence.js';
import type { RestsOn, Rule } from './finding.js';
import { Gaps } from './gaps.js';
import { type Verdict, verdictOn } from './judge-run.js';
import { JudgedRequest, KnownRequest } from './judged-request.js';
import { isRefusal, toldBy } from './promises.js';
import { rules } from './rules.js';
import { createRun, type RequestClass, type Run, type RunFacts } from './run.js';
import { describeLeftOut } from './unrecorded.js';

/**
 * Facts about a recorded run that the recording does not contain. `areHeadersHidden`: whether the client was a web page
 * that could not read Retry-After and X-RateLimit-*; default: as the recorded headers show, for each response.
 */
export interface JudgeRecordingOptions
  extends Pick<
    RunFacts,
    'service' | 'isOver' | 'expect' | 'needs' | 'deprecations' | 'operations' | 'areHeadersHidden' | 'isCut'
  > {
  /** Name that the verdict shows for the recording, such as the recording's file name. */
  readonly name: string;
  /** Whether the user states that all requests had one API key. Needed for a recording that omits the keys. */
  readonly isOneKey?: boolean | undefined;
  /** Requests that only read, although their method is unsafe: `['POST /search']`. Default: GraphQL queries only. */
  readonly reads?: Reads | undefined;
  /** Entries of the recording that were no requests to the service. Default: none. */
  readonly leftOut?: readonly LeftOutEntry[] | undefined;
}

/**
 * Judges a client by recorded traffic; recordings of the simulator are judged like a live run. For other recordings,
 * rules that need internal data of the simulator are listed as unknown. Each rule judges the exchanges that have the
 * parts on which the rule rests. The client passes only if no refusal, lost response or request during a wait lacks
 * what a rule reads.
 */
export function judgeRecording(exchanges: readonly Exchange[], options: JudgeRecordingOptions): Verdict {
  const { name: scenario, isOneKey = false, reads = [], leftOut = [], isCut = false, ...known } = options;
  const nowMs = exchanges.reduce((most, { finishedAtMs }) => Math.max(most, finishedAtMs), 0);
  const facts = { ...known, scenario, nowMs, isCut };
  const isOwn = exchanges.length > 0 && exchanges.every((exchange) => exchange.isOwn);
  const refused = isOwn ? exchanges : exchanges.map(withRefusalBeforeReset);
  const read = refused.map((exchange) => withoutRead(exchange, reads));
  const recorded = withDerivedLacks(isOneKey ? withOneKey(read) : read, isOwn || isOneKey);
  const gaps = { leftOut, isCut };
  const { whole, verdict } = isOwn ? judgeOwn(recorded, facts, gaps) : judgeForeign(recorded, facts, gaps);
  return withLeftOut(withLacks(verdict, whole, leftOut), exchanges, leftOut);
}

/**
 * Gives all exchanges of a base URL one key, as the user states. A 401 without a key was sent without one, if the
 * recording has keys.
 */
function withOneKey(exchanges: readonly Exchange[]): Exchange[] {
  const keys = new Map<string, string>();
  for (const { baseUrl, token } of exchanges) if (token !== undefined && !keys.has(baseUrl)) keys.set(baseUrl, token);
  return exchanges.map((exchange) => {
    const { baseUrl, token, status, file, isKeyMasked } = exchange;
    const isWithoutKey = token === undefined && status === 401 && file?.hasKeys === true && isKeyMasked !== true;
    return isWithoutKey ? exchange : { ...exchange, token: keys.get(baseUrl) };
  });
}

/** Marks an exchange as one that only reads, as declared or as its body shows. */
function withoutRead(exchange: Exchange, reads: Reads): Exchange {
  const { method, path, operation = '', requestBody, isWrite } = exchange;
  const names = [operation, `${method} ${path}`];
  const readBody = () => (requestBody === undefined ? '' : textOfBytes(requestBody));
  return isWrite && !writes(method, names, reads, readBody) ? { ...exchange, isWrite: false } : exchange;
}

interface GapFacts {
  readonly leftOut: readonly LeftOutEntry[];
  readonly isCut: boolean;
}

function judgeOwn(exchanges: readonly Exchange[], facts: RunFacts, gaps: GapFacts) {
  const runFor = createRunFor(exchanges, facts, gaps, KnownRequest);
  const whole = runFor([]);
  return { whole, verdict: runToEnd(verdictOn(whole, (rule) => rule.judge(runFor(rule.restsOn)))) };
}

function judgeForeign(exchanges: readonly Exchange[], facts: RunFacts, gaps: GapFacts) {
  const runFor = createRunFor(exchanges, facts, gaps, JudgedRequest);
  const whole = runFor([]);
  const judge = (rule: Rule) => (rule.needs === 'wire' ? rule.judge(runFor(rule.restsOn)) : undefined);
  return { whole, verdict: runToEnd(verdictOn(whole, judge)) };
}

/**
 * Creates a function that returns the run of the exchanges that have certain parts. The other exchanges are gaps of
 * this run.
 */
function createRunFor<Request extends JudgedRequest>(
  exchanges: readonly Exchange[],
  facts: RunFacts,
  { leftOut, isCut }: GapFacts,
  Kind: RequestClass<Request>,
): (restsOn: RestsOn) => Run<Request> {
  const whole = runToEnd(createRun(exchanges, facts, Kind));
  const everLacking = new Set<Missing>();
  for (const exchange of exchanges)
    for (const part of exchange.missing) if (lacksPart(exchange, part)) everLacking.add(part);
  const runs = new Map<string, Run<Request>>();
  return (restsOn) => {
    const parts = [...(restsOn.length > 0 ? (['response'] as const) : []), ...restsOn].filter((part) =>
      everLacking.has(part),
    );
    if (restsOn.length === 0 || (parts.length === 0 && leftOut.length === 0 && !isCut)) return whole;
    const known = runs.get(parts.join());
    if (known !== undefined) return known;
    const lacks = (request: Observed) => parts.some((part) => lacksPart(request, part));
    const gaps = new Gaps(whole.requests, whole.requests.filter(lacks), leftOut, isCut);
    const complete = exchanges.filter((exchange) => !lacks(exchange));
    const run = runToEnd(createRun(complete, facts, Kind, gaps));
    runs.set(parts.join(), run);
    return run;
  };
}

type Observed = Pick<Exchange, 'missing' | 'isWrite' | 'status' | 'headers'>;

/** Whether an exchange lacks a part that it should have. Headers matter only if the response asks for a wait. */
function lacksPart({ missing, isWrite, status }: Observed, part: Missing): boolean {
  if (!missing.includes(part)) return false;
  if (part === 'request body') return isWrite;
  return part !== 'answer headers' || status === 429 || status === 503;
}

/** Maximum error of the service's clock, as estimated from `Date` headers. Includes the response's travel time. */
const clockDoubtMs = 1_500;

/**
 * Moves the time of a refused response to just before its own reset time, if network delay or clock error placed the
 * response after this reset time.
 */
function withRefusalBeforeReset(exchange: Exchange): Exchange {
  if (!isRefusal(exchange)) return exchange;
  const resetMs = toldBy(exchange).reset?.untilMs ?? Number.NaN;
  const isPassed = resetMs <= exchange.answeredAtMs && resetMs > exchange.answeredAtMs - clockDoubtMs;
  return isPassed ? { ...exchange, answeredAtMs: resetMs - 1 } : exchange;
}

/** Makes a verdict inconclusive, unless the client failed, if the recording lacks parts that could show a failure. */
function withLacks(verdict: Verdict, { requests, isCut }: Run, leftOut: readonly LeftOutEntry[]): Verdict {
  if (verdict.outcome === 'fail') return verdict;
  const lacks = findBlockingLacks(requests, leftOut);
  const texts = lacks.map(({ text }) => text);
  if (isCut && verdict.outcome === 'pass') texts.push(`${afterCut}.`);
  if (texts.length === 0) return verdict;
  const reason = texts.join(' ');
  const parts = new Set<Missing | undefined>(lacks.map(({ part }) => part));
  const unjudged = Object.entries(rules).filter(([, { restsOn }]) => restsOn.some((part) => parts.has(part)));
  const codes = unjudged.map(([code]) => code as Verdict['exercised'][number]);
  const unknown = new Set([...(verdict.unknown ?? []), ...codes.filter((code) => !verdict.exercised.includes(code))]);
  return { ...verdict, outcome: 'inconclusive', reason, unknown: [...unknown] };
}

function withLeftOut(verdict: Verdict, exchanges: readonly Exchange[], leftOut: readonly LeftOutEntry[]): Verdict {
  if (leftOut.length === 0) return verdict;
  const byReason = [...groupBy(leftOut, ({ reason }): LeftOutReason => reason)];
  const counts = byReason.map(([reason, { length }]) => ({ reason, count: length }));
  const named = { ...verdict, leftOut: counts };
  if (exchanges.length > 0) return named;
  const reason = `No entry of the recording reached the service: ${describeLeftOut(counts)}. Record the client while it sends requests to the service, without a cache.`;
  return { ...named, outcome: 'inconclusive', reason };
}
