import type { RequestRecord } from '../requests/request-record.js';

type Headers = readonly (readonly [name: string, value: string])[];

/** Entry of a recording in any format. The key is not yet replaced by a name, and times are not yet corrected. */
export interface RecordedEntry {
  /** Fields of the request's record. Times are those of the recording machine, in Unix milliseconds; NaN if missing. */
  readonly record: Pick<
    RequestRecord,
    'arrivedAtMs' | 'answeredAtMs' | 'finishedAtMs' | 'isAbandoned' | 'method' | 'status'
  >;
  readonly hasTimings: boolean;
  readonly url: string;
  readonly requestHeaders: Headers;
  readonly answerHeaders: Headers;
  /** Request body. Empty without a body; `undefined` if the recording omits the body. */
  readonly requestBody: string | undefined;
  readonly answerBody: string | undefined;
  /**
   * Name of the request's TCP connection in the file of recorded traffic; `undefined` if not recorded. Requests with
   * the same name used one connection.
   */
  readonly connection: string | undefined;
  /**
   * Fields that petstore-sim writes: the HAR field `_petstoreSim`, or the whole line of JSON Lines. `undefined` in a
   * HAR file of another tool.
   */
  readonly own: Readonly<Record<string, unknown>> | undefined;
}
