import type { FindingCode } from '../scenario/finding-codes.js';
import type { Exchange, Missing } from '../traffic-files/exchange.js';
import { pluralize } from '../values/pluralize.js';
import { codesOf } from './finding.js';
import { judgeObservedRun, judgeRun, type Verdict } from './judge-run.js';
import { isRefusal, readReset } from './promises.js';
import { isUnknown } from './request-kind.js';
import type { RunFacts } from './run.js';

/**
 * Facts about a recorded run that the recording does not contain. `areHeadersHidden`: whether the client was a web page
 * that could not read Retry-After and X-RateLimit-*; default: as the recorded headers show.
 */
export interface JudgeRecordingOptions
  extends Pick<RunFacts, 'service' | 'isOver' | 'expect' | 'needs' | 'deprecations' | 'areHeadersHidden'> {
  /** Name that the verdict shows for the recording, such as the recording's file name. */
  readonly name: string;
  /** Whether the user states that all requests had one API key. Needed for a recording that omits the keys. */
  readonly isOneKey?: boolean | undefined;
}

/** Rules of the judge that use neither times nor API keys. */
const timeless: readonly FindingCode[] = ['deprecated-operation', 'rounded-int64'];

interface Doubt {
  rules: 'most' | readonly FindingCode[];
  /**
   * Rules of the judge that become unreliable only if the response to a write was lost. These rules search later
   * responses for the written pet.
   */
  afterLostWrite?: readonly FindingCode[];
  explanation: string;
}

/**
 * Rules of the judge that become unreliable if a recording lacks a certain part, and advice on how to record this part.
 */
const doubts: Record<Exclude<Missing, 'date'>, Doubt> = {
  key: {
    rules: 'most',
    explanation:
      'without an API key, so it is unknown which requests share a key. Record with sensitive data (Chromium: "Allow to generate HAR with sensitive data"), or use --one-key if all had the same key',
  },
  timings: { rules: 'most', explanation: 'without times. Record with timings, not in a minimal mode' },
  'answer headers': {
    rules: 'most',
    explanation: 'without response headers such as Retry-After. Record with headers',
  },
  'request body': {
    rules: ['body-changed', 'lost-write', 'duplicate-write', 'gave-up', 'rounded-int64'],
    explanation: 'without the request body. Record with request bodies',
  },
  'answer body': {
    rules: ['rounded-int64'],
    afterLostWrite: ['body-changed', 'gave-up', 'lost-write'],
    explanation: 'without the response body. Record with content',
  },
};

/**
 * Judges a client by recorded traffic; recordings of the simulator are judged like a live run. For other recordings,
 * rules that need internal data of the simulator are listed as unknown. Missing parts of a recording, such as response
 * headers, can make the verdict inconclusive.
 */
export function judgeRecording(exchanges: readonly Exchange[], options: JudgeRecordingOptions): Verdict {
  const { name: scenario, isOneKey = false, ...known } = options;
  const nowMs = exchanges.reduce((most, { finishedAtMs }) => Math.max(most, finishedAtMs), 0);
  const areHeadersHidden = known.areHeadersHidden || exchanges.some(hidesHeaders);
  const facts = { ...known, scenario, nowMs, areHeadersHidden };
  const isOwn = exchanges.every((exchange) => exchange.isOwn);
  const verdict = isOwn ? judgeRun(exchanges, facts) : judgeObservedRun(exchanges.map(withRefusalBeforeReset), facts);
  return withDoubts(verdict, exchanges, isOwn || isOneKey);
}

/**
 * Maximum error of the service's clock, as estimated from `Date` headers, in milliseconds. Includes the response's
 * travel time.
 */
const clockDoubtMs = 1_500;

/**
 * Moves the time of a refused response to just before its own reset time, if network delay or clock error placed the
 * response after this reset time.
 */
function withRefusalBeforeReset(exchange: Exchange): Exchange {
  const resetMs = readReset(exchange) ?? Number.NaN;
  const isPassed = resetMs <= exchange.answeredAtMs && resetMs > exchange.answeredAtMs - clockDoubtMs;
  return isRefusal(exchange) && isPassed ? { ...exchange, answeredAtMs: resetMs - 1 } : exchange;
}

/**
 * Whether a web page could not read a response's Retry-After, although the recording contains the header. A page can
 * read a header of another origin only if the response exposes the header (Fetch standard, CORS protocol).
 */
const hidesHeaders = ({ headers, requestHeaders: { origin } }: Exchange) =>
  origin !== undefined &&
  headers['Retry-After'] !== undefined &&
  headers['Access-Control-Allow-Origin'] !== undefined &&
  !/retry-after|\*/i.test(headers['Access-Control-Expose-Headers'] ?? '');

function withDoubts(verdict: Verdict, exchanges: readonly Exchange[], isKeyKnown: boolean): Verdict {
  const unreliable = new Set<FindingCode>();
  const texts: string[] = [];
  const hasLostWrite = exchanges.some((exchange) => exchange.isWrite && isUnknown(exchange));
  for (const [part, { rules, afterLostWrite = [], explanation }] of Object.entries(doubts) as [Missing, Doubt][]) {
    const count = exchanges.filter(({ missing }) => missing.includes(part)).length;
    if (count === 0 || (part === 'key' && isKeyKnown)) continue;
    const lost =
      rules === 'most'
        ? [...verdict.exercised, ...codesOf(verdict.findings)].filter((code) => !timeless.includes(code))
        : rules;
    for (const code of [...lost, ...(hasLostWrite ? afterLostWrite : [])]) unreliable.add(code);
    texts.push(
      `${count} of ${pluralize(exchanges.length, 'request')} ${count === 1 ? 'was' : 'were'} recorded ${explanation}.`,
    );
  }
  if (texts.length === 0) return verdict;
  const findings = verdict.findings.filter(({ code }) => !unreliable.has(code));
  const exercised = verdict.exercised.filter((code) => !unreliable.has(code));
  const unknown = [...new Set([...(verdict.unknown ?? []), ...unreliable])];
  const isStillFailed = findings.some(({ severity }) => severity === 'fail');
  // A passed verdict becomes inconclusive only if the recording lacks data for an exercised rule.
  const isTouched = verdict.exercised.some((code) => unreliable.has(code)) || verdict.outcome !== 'pass';
  if (isStillFailed || !isTouched) return { ...verdict, findings, exercised, unknown };
  return { ...verdict, outcome: 'inconclusive', reason: texts.join(' '), findings, exercised, unknown };
}
