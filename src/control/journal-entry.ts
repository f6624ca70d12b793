import type { Schema } from '../schema/schema.js';
import { fields, list, mapOf, number, oneOf, optional, string } from '../schema/schemas.js';
import { count } from '../schema/value-schemas.js';
import { createRedactor, displayKey, type Redact } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import type { RequestRecord } from '../state/request-record.js';
import { fnv1a } from '../values/mask-key.js';
import { type EntryRow, entryRowFields } from './entry-row.js';
import { about } from './input-values.js';
import { toRow } from './to-row.js';
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
  bytes: about(count, 'Size of what the journal keeps.'),
  hash: about(string, 'FNV-1a of these bytes, 64 bits in hexadecimal.'),
  text: string,
  truncated: optional(about(oneOf(true), 'Where the journal has cut the body.')),
}) as Schema<JournalBody>;

export const journalEntrySchema = fields({
  ...entryRowFields,
  baseUrl: about(string, 'What the client put in front of `path`.'),
  headers: mapOf(string, string),
  requestBody: optional(body),
  responseBody: optional(body),
  client: optional(about(string, 'What the client calls itself: its header User-Agent.')),
  lastArrivedId: optional(
    about(count, 'The id of the last request that had arrived when the answer was sent, where that was a later one.'),
  ),
  heldMs: optional(about(number, 'For how long the answer was held back so that parallel requests show themselves.')),
  finishedMs: optional(about(number, 'Until the last byte was handed over, where that was later than the first.')),
  abandoned: optional(about(oneOf(true), 'Only where the client went away before the end of the answer.')),
  lost: optional(
    about(oneOf(true), 'Only where the client got a 503 instead: the log had not taken the request in time.'),
  ),
  why: optional(
    about(
      list(
        fields({
          step: oneOf('key', 'ban', 'limit', 'promise', 'fault', 'route', 'operation'),
          result: about(
            oneOf('passed', 'noted', 'stopped', 'not reached'),
            '`stopped`: the answer was decided here; `noted`: it did not stop the request.',
          ),
          text: string,
          assumption: optional(about(string, 'The assumption by which it is so.')),
        }),
      ),
      'Only where that was asked for: why the request got its answer, step by step.',
    ),
  ),
}) as Schema<JournalEntry>;

/** The journal cuts a body at this size, so that one of this size has most likely lost its end. */
const cutBodyBytes = 64 * 1024;
/** The end of a cut body that is not shown, because a key may have been cut with it. */
const uncertainLength = 256;

/** Shows entries. They must come in the order of the journal, because a wait is measured from the refusal before. */
export interface EntryView {
  /** Takes note of an entry that is not shown. */
  pass(entry: RequestRecord): void;
  show(entry: RequestRecord): JournalEntry;
  /** The same without headers and bodies, which costs a fraction. */
  showRow(entry: RequestRecord): EntryRow;
}

export function createEntryView(sim: Simulator): EntryView {
  const redactor = createRedactor(sim);
  const sizeOfText = createSizeOfText();
  const refusals = new Map<string | undefined, RequestRecord>();
  const pass = (entry: RequestRecord) => {
    const { token, promisedAtMs, refusal, plan } = entry;
    if (promisedAtMs !== undefined && refusal !== undefined) refusals.set(token, entry);
    else if (plan !== undefined) refusals.delete(token);
  };
  const rowOf = (entry: RequestRecord, redact: Redact) => {
    const { token, path, query, call } = entry;
    const before = refusals.get(token);
    pass(entry);
    const shown = { path: redact(path), query: redact(query) };
    return toRow(
      entry,
      {
        ...shown,
        ...(token !== undefined && { key: token && displayKey(sim, token) }),
        ...(call !== undefined && { call: redact(call) }),
      },
      before,
    );
  };
  return {
    pass,
    show(entry) {
      const { path, query, call, requestBody, responseBody, headers, token } = entry;
      const requestText = requestBody && new TextDecoder().decode(requestBody);
      const { client, lastArrivedId, heldMs, arrivedAtMs, answeredAtMs, finishedAtMs } = entry;
      const texts = [path, query, call, client, requestText, responseBody, ...Object.values(headers)];
      const redact = redactor(texts.join('\n'), token);
      return {
        ...rowOf(entry, redact),
        baseUrl: entry.baseUrl,
        headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, redact(value)])),
        ...(requestBody && { requestBody: toBody(sizeOf(requestBody), redact(requestText as string)) }),
        ...(responseBody !== '' && { responseBody: toBody(sizeOfText(responseBody), redact(responseBody)) }),
        ...(client !== undefined && { client: redact(client) }),
        ...(lastArrivedId > entry.id && { lastArrivedId }),
        ...(heldMs > 0 && { heldMs }),
        ...(finishedAtMs > answeredAtMs && { finishedMs: finishedAtMs - arrivedAtMs }),
        ...(entry.isAbandoned && { abandoned: true as const }),
        ...(entry.isLost && { lost: true as const }),
      };
    },
    showRow(entry) {
      const { path, query, call, token } = entry;
      return rowOf(entry, redactor([path, query, call].join('\n'), token));
    },
  };
}

/**
 * The entries of the journal that `isWanted` takes, one by one, in the order of arrival.
 * @param all the entries of the journal, where the caller has them
 */
export function* showEntries(
  sim: Simulator,
  isWanted: (entry: RequestRecord) => boolean,
  all = sim.journal.query(),
): Generator<JournalEntry> {
  const view = createEntryView(sim);
  for (const entry of all) {
    if (isWanted(entry)) yield view.show(entry);
    else view.pass(entry);
  }
}

type Size = Pick<JournalBody, 'bytes' | 'hash'>;

const sizeOf = (bytes: Uint8Array): Size => ({ bytes: bytes.length, hash: fnv1a(bytes) });

/** Sizes of texts, with those of the last ones kept: the same few lists are answered again and again, and to hash one takes 5 us. */
function createSizeOfText(): (text: string) => Size {
  const known = new Map<string, Size>();
  return (text) => {
    let size = known.get(text);
    if (size === undefined) {
      size = sizeOf(new TextEncoder().encode(text));
      if (known.size >= mostSizes) known.clear();
      known.set(text, size);
    }
    return size;
  };
}

/** The journal holds their texts anyway. */
const mostSizes = 200;

function toBody(size: Size, text: string): JournalBody {
  if (size.bytes < cutBodyBytes) return { ...size, text };
  return { ...size, text: text.slice(0, -uncertainLength).toWellFormed(), truncated: true };
}
