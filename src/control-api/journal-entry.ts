import type { WireFault } from '../requests/wire-fault.js';
import type { Schema } from '../validation/schema.js';
import { fields, list, mapOf, number, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { type EntryRow, entryRowFields } from './entry-row.js';
import { anyObject, described } from './input-values.js';
import type { WhyStep } from './why.js';

/** Request or response body in the control API, with masked keys. */
export interface JournalBody {
  /** Size in bytes of the stored part of the request or response body. */
  bytes: number;
  /** FNV-1a hash of the body in the journal: 64 bits in hexadecimal. */
  hash: string;
  text: string;
  /** Set if the journal truncated the body, so that `text` is incomplete. */
  truncated?: true;
}

/** One request and its response in the control API. Fields without a value are absent. */
export interface JournalEntry extends EntryRow {
  /** Part of the requested URL before `path`: `http://127.0.0.1:4010/v1`. */
  baseUrl: string;
  /**
   * Request headers by lower-case name: Accept, Authorization with the shown key, Content-Encoding, Content-Type,
   * Idempotency-Key, Origin, Traceparent, User-Agent and `x-` headers. Secrets are masked, and long values cut, by `…`.
   */
  requestHeaders?: Record<string, string>;
  headers: Record<string, string>;
  requestBody?: JournalBody;
  responseBody?: JournalBody;
  /** Value of the request header `User-Agent`. */
  client?: string;
  /**
   * Id of the newest request that arrived before this response was sent. Absent if no other request arrived meanwhile.
   */
  lastArrivedId?: number;
  /** Time for which the simulator delayed a 429. Requests that arrived during this delay were sent in parallel. */
  heldMs?: number;
  /** Time from the request's arrival to the response's last byte. Absent if all bytes were sent at once. */
  finishedMs?: number;
  /** Fault of the connection or of the response's bytes, by a fault rule or by the end of the server. */
  wire?: WireFault;
  /** Set if the client disconnected before it had the whole response. */
  abandoned?: true;
  /**
   * Steps of the simulator that led to the response, such as authentication and rate limit. Present only if the caller
   * requests them with `why`.
   */
  why?: WhyStep[];
}

const body = fields({
  bytes: described(count, 'Size of the stored body, in bytes.'),
  hash: described(string, 'FNV-1a hash of the stored bytes: 64 bits in hexadecimal.'),
  text: string,
  truncated: optional(described(oneOf(true), 'Set if the journal truncated the body.')),
}) as Schema<JournalBody>;

export const journalEntrySchema = fields({
  ...entryRowFields,
  baseUrl: described(string, 'Part of the requested URL before `path`.'),
  requestHeaders: optional(
    described(
      mapOf(string, string),
      'Recorded request headers by lower-case name; secrets are masked, and long values cut, by `…`.',
    ),
  ),
  headers: described(mapOf(string, string), 'Response headers.'),
  requestBody: optional(body),
  responseBody: optional(body),
  client: optional(described(string, 'Value of the request header User-Agent.')),
  lastArrivedId: optional(
    described(count, 'Id of the last request that arrived before the response was sent; absent if it is this request.'),
  ),
  heldMs: optional(
    described(number, 'Time for which the response was held back to detect parallel requests, in milliseconds.'),
  ),
  finishedMs: optional(
    described(
      number,
      'Time until the last byte of the response was sent, in milliseconds, if later than the first byte.',
    ),
  ),
  wire: optional(
    described(
      anyObject<WireFault>('`kind`, such as `reset` or `truncate`, with its numbers.'),
      "Fault of the connection or of the response's bytes, by a fault rule or by the end of the server.",
    ),
  ),
  abandoned: optional(described(oneOf(true), 'Set if the client disconnected before the end of the response.')),
  why: optional(
    described(
      list(
        fields({
          step: oneOf('key', 'ban', 'limit', 'promise', 'fault', 'route', 'operation'),
          result: described(
            oneOf('passed', 'noted', 'stopped', 'not reached'),
            '`stopped`: this step determined the response; `noted`: the request continued.',
          ),
          text: string,
          assumption: optional(described(string, 'Assumption behind the step.')),
        }),
      ),
      'Steps that led to the response; only on demand.',
    ),
  ),
}) as Schema<JournalEntry>;
