import { type JudgeRecordingOptions, judgeRecording } from '../judge/judge-recording.js';
import type { Verdict } from '../judge/judge-run.js';
import { isNamedRefusal, toldBy } from '../judge/promises.js';
import { untested } from '../judge/report/wording.js';
import { type ResultOptions, type RunResult, resultOf } from '../judge/run-result.js';
import type { Exchange } from '../traffic-files/exchange.js';
import type { Recording } from '../traffic-files/read-recording.js';
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
  report(shown: RunResult): RunReport;
}

/** Judges a client by a recording, as `petstore-sim judge` and the dashboard do. */
export function judgedRecording(
  { exchanges: read, service, leftOut, isCut, notes }: Omit<Recording, 'baseUrls' | 'entries' | 'clockOffsetMs'>,
  { refusals = [], result: resultOptions = {}, ...options }: JudgedRecordingOptions,
): JudgedRecording {
  const exchanges = withRefusals(read, (exchange) => isLimitOfOtherApi(exchange, refusals));
  const judge = (some: readonly Exchange[]) => judgeRecording(some, { ...options, service, leftOut, isCut });
  const verdict = judge(exchanges);
  const entries = withRefusals(exchanges, isRefusalOfOtherApi);
  return {
    result: resultOf(verdict, resultOptions),
    entries,
    report(shown) {
      const keys = recordedKeys(entries);
      const nowMs = entries.reduce((most, { finishedAtMs }) => Math.max(most, finishedAtMs), 0);
      const ofKeys: RunReport['answers'] = {};
      if (keys.length > 1 && keys.length <= maximumKeyVerdicts)
        for (const { key, id } of keys) {
          // A request without a known key may be one of this key.
          const own = exchanges.filter(({ token }) => token === undefined || token === key);
          ofKeys[keyVerdictPath(id)] = withUntested(judge(own));
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

/** Whether a response from an API other than the Petstore rejects the request by a limit, with one of the statuses. */
const isLimitOfOtherApi = (exchange: Exchange, statuses: readonly number[]): boolean =>
  !exchange.isOwn &&
  statuses.includes(exchange.status) &&
  (exchange.status === 429 || isNamedRefusal(exchange, toldBy(exchange)));

/** Whether a response from another API rejects the request by a 429, or by an error that asks for a wait. */
const isRefusalOfOtherApi = (exchange: Exchange): boolean =>
  !exchange.isOwn && (exchange.status === 429 || (exchange.status >= 400 && toldBy(exchange).isAsking));

/** Sets `refusal: 'limit'` in each recorded request that a limit refused. */
const withRefusals = (exchanges: readonly Exchange[], isByLimit: (exchange: Exchange) => boolean): Exchange[] =>
  exchanges.map((exchange) => (isByLimit(exchange) ? { ...exchange, refusal: 'limit' } : exchange));
