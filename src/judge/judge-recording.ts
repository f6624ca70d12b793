import type { FindingCode } from '../scenario/finding-codes.js';
import type { Exchange, Missing } from '../traffic-files/exchange.js';
import { counted } from '../values/counted.js';
import type { Expectation } from './conclude.js';
import { judgeObservedRun, judgeRun, type Verdict } from './judge-run.js';
import type { ClientNeeds } from './needs.js';
import { readReset } from './promises.js';
import { readObserved, readRequests } from './run.js';

export interface JudgeRecordingOptions {
  /** Name of the recording in the verdict: its file, or a scenario. */
  readonly name: string;
  /** Host of the service, if it is another than the API of the interface document. */
  readonly service?: string | undefined;
  /** Whether the client had ended with the recording, so would send no further requests. Default `false`. */
  readonly isOver?: boolean | undefined;
  /** Whether all requests had the same key, although the recording does not contain it. */
  readonly isOneKey?: boolean | undefined;
  /** Expectation and requirements of the scenario during the recording. */
  readonly expect?: Expectation | undefined;
  readonly needs?: ClientNeeds | undefined;
  /** Whether the client is a page that cannot read the rate-limit headers. Default: as in the responses. */
  readonly areHeadersHidden?: boolean | undefined;
}

/** Rules that depend on neither time nor key. */
const timeless: readonly FindingCode[] = ['deprecated-operation', 'rounded-int64'];

/** Rules that are unreliable without a part of the recording, with a sentence on how to record that part. */
const doubts: Record<Exclude<Missing, 'date'>, { rules: 'most' | readonly FindingCode[]; say: string }> = {
  key: {
    rules: 'most',
    say: 'without an API key, so it is unknown which requests share a key. Record with sensitive data (Chromium: "Allow to generate HAR with sensitive data"), or use --one-key if all had the same key',
  },
  timings: { rules: 'most', say: 'without times. Record with timings, not in a minimal mode' },
  'answer headers': {
    rules: 'most',
    say: 'without response headers such as Retry-After. Record with headers',
  },
  'request body': {
    rules: ['body-changed', 'lost-write', 'duplicate-write', 'gave-up', 'rounded-int64'],
    say: 'without the request body. Record with request bodies',
  },
  'answer body': { rules: ['rounded-int64'], say: 'without the response body. Record with content' },
};

/**
 * Judges a client by recorded traffic. For the simulator's own recordings, all rules judge as in the live run;
 * otherwise, rules that need internal knowledge are unknown. Missing parts of the recording make the verdict
 * inconclusive.
 */
export function judgeRecording(exchanges: readonly Exchange[], options: JudgeRecordingOptions): Verdict {
  const { name, service, isOver = false, isOneKey = false, expect, needs } = options;
  const last = exchanges.reduce((most, { finishedAtMs }) => Math.max(most, finishedAtMs), 0);
  const circumstances = { endMs: last, isOver, pending: 0, needs, service };
  const state = { scenario: name, dropped: 0, expect };
  const areHeadersHidden = options.areHeadersHidden || exchanges.some(hidesHeaders);
  const reading = { callers: needs?.parallel, areHeadersHidden };
  const isOwn = exchanges.every((exchange) => exchange.isOwn);
  const verdict = isOwn
    ? judgeRun({ ...readRequests(exchanges, reading), ...circumstances }, state)
    : judgeObservedRun({ ...readObserved(exchanges.map(withResetAhead), reading), ...circumstances }, state);
  return withDoubts(verdict, exchanges, isOwn || isOneKey);
}

/**
 * Maximum error of the service's clock estimated from `Date`, including the response's travel time, in milliseconds.
 */
const clockDoubtMs = 1_500;

const isRefusal = ({ status, refusal }: Exchange) => status === 429 || refusal !== undefined;

/** Moves a response shortly before its Reset, if that passed only due to travel time or clock error. */
function withResetAhead(exchange: Exchange): Exchange {
  const resetMs = readReset(exchange) ?? Number.NaN;
  const isPassed = resetMs <= exchange.answeredAtMs && resetMs > exchange.answeredAtMs - clockDoubtMs;
  return isRefusal(exchange) && isPassed ? { ...exchange, answeredAtMs: resetMs - 1 } : exchange;
}

/**
 * Whether the page could not read the headers: a page of another origin reads only exposed headers (Fetch standard,
 * CORS protocol), although the network tab shows all.
 */
const hidesHeaders = ({ headers, requestHeaders: { origin } }: Exchange) =>
  origin !== undefined &&
  headers['Retry-After'] !== undefined &&
  headers['Access-Control-Allow-Origin'] !== undefined &&
  !/retry-after|\*/i.test(headers['Access-Control-Expose-Headers'] ?? '');

function withDoubts(verdict: Verdict, exchanges: readonly Exchange[], isKeyKnown: boolean): Verdict {
  const unreliable = new Set<FindingCode>();
  const texts: string[] = [];
  const counts = new Map<Missing, number>();
  for (const { missing } of exchanges) for (const part of missing) counts.set(part, (counts.get(part) ?? 0) + 1);
  for (const [part, { rules, say }] of Object.entries(doubts) as [Missing, (typeof doubts)['key']][]) {
    const count = counts.get(part) ?? 0;
    if (count === 0 || (part === 'key' && isKeyKnown)) continue;
    const lost =
      rules === 'most' ? [...verdict.exercised, ...codesOf(verdict)].filter((code) => !timeless.includes(code)) : rules;
    for (const code of lost) unreliable.add(code);
    texts.push(`${count} of ${counted(exchanges.length, 'request')} ${count === 1 ? 'was' : 'were'} recorded ${say}.`);
  }
  if (texts.length === 0) return verdict;
  const findings = verdict.findings.filter(({ code }) => !unreliable.has(code));
  const exercised = verdict.exercised.filter((code) => !unreliable.has(code));
  const unknown = [...new Set([...(verdict.unknown ?? []), ...unreliable])];
  const isStillFailed = findings.some(({ severity }) => severity === 'fail');
  // If no tested rule needs the missing part, the verdict is unaffected.
  const isTouched = verdict.exercised.some((code) => unreliable.has(code)) || verdict.outcome !== 'pass';
  if (isStillFailed || !isTouched) return { ...verdict, findings, exercised, unknown };
  return { ...verdict, outcome: 'inconclusive', reason: texts.join(' '), findings, exercised, unknown };
}

const codesOf = ({ findings }: Verdict) => findings.map(({ code }) => code);
