import type { Schema } from '../validation/schema.js';
import { fields, list, mapOf, number, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { type EntryRow, entryRowFields } from './entry-row.js';
import { described } from './input-values.js';
import type { WhyStep } from './why.js';

/** A body as the control API shows it. */
export interface JournalBody {
  /** Size of what the journal keeps. */
  bytes: number;
  /** FNV-1a of these bytes, 64 bits in hexadecimal. */
  hash: string;
  text: string;
  /** Where the journal has cut the body, so that `text` is not all of it. */
  truncated?: true;
}

/** One request and its answer as the control API shows them. A field without a value is left out. */
export interface JournalEntry extends EntryRow {
  /** What the client put in front of `path`: `http://127.0.0.1:4010/v1`. */
  baseUrl: string;
  headers: Record<string, string>;
  requestBody?: JournalBody;
  responseBody?: JournalBody;
  /** What the client calls itself: its header `User-Agent`. */
  client?: string;
  /** The id of the last request that had arrived when the answer was sent; only where that was a later one. */
  lastArrivedId?: number;
  /** For how many milliseconds the answer was held back so that parallel requests show themselves. */
  heldMs?: number;
  /** Until the last byte was handed over; only where that was later than the first. */
  finishedMs?: number;
  /** Only where the client went away before the end of the answer. */
  abandoned?: true;
  /** Only where the client got a 503 instead of this answer: the log had not taken the request in time. */
  lost?: true;
  /** Only where that was asked for: why it got its answer, step by step. */
  why?: WhyStep[];
}

const body = fields({
  bytes: described(count, 'Size of what the journal keeps.'),
  hash: described(string, 'FNV-1a of these bytes, 64 bits in hexadecimal.'),
  text: string,
  truncated: optional(described(oneOf(true), 'Where the journal has cut the body.')),
}) as Schema<JournalBody>;

export const journalEntrySchema = fields({
  ...entryRowFields,
  baseUrl: described(string, 'What the client put in front of `path`.'),
  headers: mapOf(string, string),
  requestBody: optional(body),
  responseBody: optional(body),
  client: optional(described(string, 'What the client calls itself: its header User-Agent.')),
  lastArrivedId: optional(
    described(
      count,
      'The id of the last request that had arrived when the answer was sent, where that was a later one.',
    ),
  ),
  heldMs: optional(
    described(number, 'For how long the answer was held back so that parallel requests show themselves.'),
  ),
  finishedMs: optional(described(number, 'Until the last byte was handed over, where that was later than the first.')),
  abandoned: optional(described(oneOf(true), 'Only where the client went away before the end of the answer.')),
  lost: optional(
    described(oneOf(true), 'Only where the client got a 503 instead: the log had not taken the request in time.'),
  ),
  why: optional(
    described(
      list(
        fields({
          step: oneOf('key', 'ban', 'limit', 'promise', 'fault', 'route', 'operation'),
          result: described(
            oneOf('passed', 'noted', 'stopped', 'not reached'),
            '`stopped`: the answer was decided here; `noted`: it did not stop the request.',
          ),
          text: string,
          assumption: optional(described(string, 'The assumption by which it is so.')),
        }),
      ),
      'Only where that was asked for: why the request got its answer, step by step.',
    ),
  ),
}) as Schema<JournalEntry>;
