import { type JudgeRecordingOptions, judgeRecordingInSteps } from '../judge/judge-recording.js';
import type { Verdict } from '../judge/judge-run.js';
import { remainingIn } from '../judge/promises.js';
import { untested } from '../judge/report/wording.js';
import { type ResultOptions, type RunResult, resultOf } from '../judge/run-result.js';
import { retryAfterHeader } from '../rate-limits/header-names.js';
import type { Exchange } from '../traffic-files/exchange.js';
import type { Recording } from '../traffic-files/read-recording.js';
import type { Steps } from '../values/steps.js';
import { lazyList } from './lazy-result.js';
import { recordedEntries, recordedKeys } from './recorded-entries.js';
import { keyVerdictPath, maximumKeyVerdicts, type RunReport, runFormat } from './run-report.js';

/** Options for the verdict on a recording, except those that the recording itself decides. */
interface JudgedRecordingOptions extends Omit<JudgeRecordingOptions, 'service' | 'leftOut' | 'isCut'> {
  /** Statuses other than 429 with which another service than the main one refuses requests by a limit. */
  readonly refusals?: readonly number[] | undefined;
  readonly result?: ResultOptions | undefined;
}

/** Verdict on a recording, with the requests and the report data from which its reports are made. */
interface JudgedRecording {
  readonly result: RunResult;
  /** Recorded requests, in which refusals by a limit are marked. */
  readonly entries: readonly Exchange[];
  /** Creates the report data, with the shown verdict. */
  report(shown: RunResult): Steps<RunReport>;
}

/**
 * Judges a client by a recording, as `petstore-sim judge` and the dashboard do. Works in steps, between which a server
 * handles requests.
 */
export function* judgedRecording(
  { exchanges: read, service, leftOut, isCut, notes }: Omit<Recording, 'baseUrls' | 'entries' | 'clockOffsetMs'>,
  { refusals = [], result: resultOptions = {}, ...options }: JudgedRecordingOptions,
): Steps<JudgedRecording> {
  const exchanges = withRefusals(read, refusals);
  const judge = (some: readonly Exchange[]) => judgeRecordingInSteps(some, { ...options, service, leftOut, isCut });
  const verdict = yield* judge(exchanges);
  const entries = withRefusals(exchanges, [429]);
  return {
    result: resultOf(verdict, resultOptions),
    entries,
    *report(shown) {
      yield;
      const keys = recordedKeys(entries);
      yield;
      const nowMs = entries.reduce((most, { finishedAtMs }) => Math.max(most, finishedAtMs), 0);
      const ofKeys: RunReport['answers'] = {};
      if (keys.length > 1 && keys.length <= maximumKeyVerdicts)
        for (const { key, id } of keys) {
          // A request without a known key may be one of this key.
          const own = exchanges.filter(({ token }) => token === undefined || token === key);
          ofKeys[keyVerdictPath(id)] = withUntested(yield* judge(own));
        }
      return {
        format: runFormat,
        entries: lazyList(recordedEntries(entries)),
        changes: [],
        answers: {
          '/verdict': withUntested(notes.length === 0 ? shown : { ...shown, notes }),
          ...ofKeys,
          '/scenario': { name: shown.scenario, scenario: {} },
          '/keys?limit=100': { keys: keys.slice(0, 100), total: keys.length },
          '/clock': { now: new Date(nowMs).toISOString(), mode: 'frozen' },
        },
      };
    },
  };
}

const withUntested = (verdict: Verdict): Verdict => ({ ...verdict, untested: untested(verdict) });

/**
 * Whether a response from an API other than the Petstore rejects the request because of a limit. Only the statuses in
 * `statuses` count. A status other than 429 also needs a Retry-After header, or X-RateLimit-Remaining 0.
 */
const isLimitOfOtherApi = (exchange: Exchange, statuses: readonly number[]) =>
  !exchange.isOwn &&
  statuses.includes(exchange.status) &&
  (exchange.status === 429 || exchange.headers[retryAfterHeader] !== undefined || remainingIn(exchange) === '0');

/**
 * Sets `refusal: 'limit'` in each recorded request to an API other than the Petstore whose response refused the request
 * because of a rate limit.
 */
const withRefusals = (exchanges: readonly Exchange[], statuses: readonly number[]): Exchange[] =>
  exchanges.map((exchange) => (isLimitOfOtherApi(exchange, statuses) ? { ...exchange, refusal: 'limit' } : exchange));
