import type { RequestRecord } from '../requests/request-record.js';

type Headers = readonly (readonly [name: string, value: string])[];

/** Entry of a recording in any format, before its key is hashed and its instants are corrected. */
export interface RecordedEntry {
  /** Fields of the request's record. Times are those of the recording machine, NaN if missing. */
  readonly record: Pick<
    RequestRecord,
    'arrivedAtMs' | 'answeredAtMs' | 'finishedAtMs' | 'isAbandoned' | 'method' | 'status'
  >;
  readonly hasTimings: boolean;
  readonly url: string;
  readonly requestHeaders: Headers;
  readonly answerHeaders: Headers;
  /** Empty without a body; `undefined` if the recording omits the body. */
  readonly requestBody: string | undefined;
  readonly answerBody: string | undefined;
  /** Name of the connection. */
  readonly connection: string | undefined;
  /** Entry of the simulator's own journal, if the simulator wrote the recording. */
  readonly own: Readonly<Record<string, unknown>> | undefined;
}
