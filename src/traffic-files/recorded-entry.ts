import type { RequestRecord } from '../requests/request-record.js';
import { type Credential, credentialOf } from '../values/credential.js';
import type { KeyPlace } from '../values/key-place.js';
import type { LeftOutReason } from './exchange.js';

type Headers = readonly (readonly [name: string, value: string])[];

/** Entry of a recording in any format. The key is not yet replaced by a name, and times are not yet corrected. */
export interface RecordedEntry {
  /** Fields of the request's record. Times are by the recorder's clock, in Unix milliseconds; NaN if missing. */
  readonly record: Pick<
    RequestRecord,
    'arrivedAtMs' | 'answeredAtMs' | 'finishedAtMs' | 'isAbandoned' | 'method' | 'status' | 'wire'
  >;
  readonly hasTimings: boolean;
  /** Whether the entry has a response, or a record that none arrived. */
  readonly hasResponse: boolean;
  /** Time at which the entry starts in the file; NaN if missing. */
  readonly startedMs: number;
  /** Whether the time in the file has a time zone. */
  readonly hasZone: boolean;
  /** Signs that the entry may be no request to the service. */
  readonly signs: NetworkSigns;
  readonly url: string;
  /** API key as the simulator names it, which its request headers may lack. */
  readonly key?: string | undefined;
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

/** Fields of a HAR entry that show whether the entry went to the network. Other formats contain only requests. */
export interface NetworkSigns {
  /** Reason that the entry itself states, such as a cache or a blocked request. */
  readonly stated?: LeftOutReason | undefined;
  /** Whether a service worker answered, possibly after a request of its own. */
  readonly isByWorker?: boolean | undefined;
  /**
   * Reason to assume if other entries of the file have times: the entry's times are recorded as empty, -1 or 0, as
   * browsers do without network traffic.
   */
  readonly ifTimed?: LeftOutReason | undefined;
}

/** Returns the headers of a recorded request by lower-case name; of repeated ones, the last. */
export function headersByName(headers: Headers): Record<string, string> {
  const byName: Record<string, string> = {};
  for (const [name, value] of headers) byName[name.toLowerCase()] = value;
  return byName;
}

/**
 * Reads the credential of a recorded request; `undefined` without one.
 * @param headers by lower-case name
 * @param key API key as the simulator names it
 * @param place the only place of keys that counts; default: all usual ones
 */
export const credentialIn = (
  headers: Readonly<Record<string, string>>,
  url: string,
  key?: string,
  place?: KeyPlace,
): Credential | undefined =>
  key === undefined
    ? credentialOf((name) => headers[name], /\?([^#]*)/.exec(url)?.[1] ?? '', place)
    : { account: key, secret: key };

/**
 * Errors of a client that ended a request itself, by an abort or its timeout: of browsers, fetch, axios and requests.
 * Those of the network have similar names: `ETIMEDOUT`, `net::ERR_TIMED_OUT`, `net::ERR_CONNECTION_ABORTED`.
 */
const byClient = /(?<!CONNECTION_)abort|cancel|(?<!\bE)tim(?:e|ed)[ -]?out|deadline/i;

/** Returns how the network or the service ended a request without a response; `undefined` if the client ended it. */
export const brokenBy = (status: number, error: string | undefined): RequestRecord['wire'] =>
  status > 0 || error === undefined || error === '' || byClient.test(error) ? undefined : { kind: 'close' };
