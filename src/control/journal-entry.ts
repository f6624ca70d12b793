import { rateLimitHeaders } from '../contract/document.js';
import type { Schema } from '../schema/schema.js';
import { fields, mapOf, number, oneOf, optional, string } from '../schema/schemas.js';
import { count } from '../schema/value-schemas.js';
import { createRedactor, displayKey, type Redact } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import type { RequestRecord } from '../state/request-record.js';
import { fnv1a, keyId } from '../values/mask-key.js';
import { about, instantText } from './input-values.js';

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
export interface JournalEntry {
  /** Counted from 1 in the order of arrival; never given again. */
  id: number;
  /** When the request arrived, ISO 8601 of the simulator's clock. */
  time: string;
  /** Until the answer was ready, by the simulator's clock. */
  durationMs: number;
  /** The API key: whole where the scenario names it, else only its end. */
  key?: string;
  /** An id of the key, which does not show it. */
  keyId?: string;
  plan?: string;
  operation?: string;
  method: string;
  /** What the client put in front of `path`: `http://127.0.0.1:4010/v1`. */
  baseUrl: string;
  path: string;
  query: string;
  /** 0 where the client went away first. */
  status: number;
  /** The `code` of an Error body. */
  code?: string;
  headers: Record<string, string>;
  requestBody?: JournalBody;
  responseBody?: JournalBody;
  /** The window that the rate-limit headers describe. */
  window?: string;
  remaining?: number;
  /** Why the request was refused. */
  refusal?: string;
  /** Of a refusal: when the service would serve again, ISO 8601. */
  promisedAt?: string;
  /** After a refusal of the key: how long after the promised instant this request came. Below 0 it came too early. */
  sincePromiseMs?: number;
  /** How many strikes the key had after this request. */
  strikes: number;
  /** Only where this request was a strike. */
  strike?: true;
  /** How many episodes of refusals the key had begun. */
  episode: number;
  /** The id of the pet that the request stored. */
  storedId?: string;
  /** The fault rule that applied. */
  fault?: string;
  /** Only where a fault kept the client from reading the answer. */
  unreadable?: true;
  /** The number of the connection, where the adapter knows it. */
  connection?: number;
  /** What the client sent as `X-Sim-Call`. */
  call?: string;
}

const body = fields({
  bytes: about(count, 'Size of what the journal keeps.'),
  hash: about(string, 'FNV-1a of these bytes, 64 bits in hexadecimal.'),
  text: string,
  truncated: optional(about(oneOf(true), 'Where the journal has cut the body.')),
}) as Schema<JournalBody>;

export const journalEntrySchema = fields({
  id: about(count, 'Counted from 1 in the order of arrival; never given again.'),
  time: about(instantText, 'When the request arrived, by the simulator’s clock.'),
  durationMs: about(number, 'Until the answer was ready, by the simulator’s clock.'),
  key: optional(about(string, 'The API key: whole where the scenario names it, else only its end.')),
  keyId: optional(about(string, 'An id of the key, which does not show it.')),
  plan: optional(string),
  operation: optional(string),
  method: string,
  baseUrl: about(string, 'What the client put in front of `path`.'),
  path: string,
  query: string,
  status: about(count, '0 where the client went away first.'),
  code: optional(about(string, 'The `code` of an Error body.')),
  headers: mapOf(string, string),
  requestBody: optional(body),
  responseBody: optional(body),
  window: optional(about(string, 'The window that the rate-limit headers describe.')),
  remaining: optional(number),
  refusal: optional(about(string, 'Why the request was refused.')),
  promisedAt: optional(about(instantText, 'Of a refusal: when the service would serve again.')),
  sincePromiseMs: optional(about(number, 'How long after the promised instant this request came; below 0: too early.')),
  strikes: about(count, 'How many strikes the key had after this request.'),
  strike: optional(about(oneOf(true), 'Only where this request was a strike.')),
  episode: about(count, 'How many episodes of refusals the key had begun.'),
  storedId: optional(about(string, 'The id of the pet that the request stored.')),
  fault: optional(about(string, 'The fault rule that applied.')),
  unreadable: optional(about(oneOf(true), 'Only where a fault kept the client from reading the answer.')),
  connection: optional(about(count, 'The number of the connection.')),
  call: optional(about(string, 'What the client sent as X-Sim-Call.')),
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
}

export function createEntryView(sim: Simulator): EntryView {
  const redactor = createRedactor(sim);
  const promises = new Map<string | undefined, number>();
  const pass = ({ token, promisedAtMs, refusal, plan }: RequestRecord) => {
    if (promisedAtMs !== undefined && refusal !== undefined) promises.set(token, promisedAtMs);
    else if (plan !== undefined) promises.delete(token);
  };
  return {
    pass,
    show(entry) {
      const promisedBeforeMs = promises.get(entry.token);
      pass(entry);
      const { path, query, call, requestBody, responseBody, headers, token } = entry;
      const requestText = requestBody && new TextDecoder().decode(requestBody);
      const texts = [path, query, call, requestText, responseBody, ...Object.values(headers)];
      const redact = redactor(texts.join('\n'), token);
      return toEntry(entry, promisedBeforeMs, requestText, token && displayKey(sim, token), redact);
    },
  };
}

/** The entries of the journal that `isWanted` takes, one by one, in the order of arrival. */
export function* showEntries(sim: Simulator, isWanted: (entry: RequestRecord) => boolean): Generator<JournalEntry> {
  const view = createEntryView(sim);
  for (const entry of sim.journal.query()) {
    if (isWanted(entry)) yield view.show(entry);
    else view.pass(entry);
  }
}

function toEntry(
  entry: RequestRecord,
  promisedBeforeMs: number | undefined,
  requestText: string | undefined,
  key: string | undefined,
  redact: Redact,
): JournalEntry {
  const { token, promisedAtMs, requestBody, responseBody, headers } = entry;
  const remaining = headers[rateLimitHeaders.remaining];
  const shown: { [Field in keyof JournalEntry]: JournalEntry[Field] | undefined } = {
    id: entry.id,
    time: new Date(entry.arrivedAtMs).toISOString(),
    durationMs: entry.answeredAtMs - entry.arrivedAtMs,
    key,
    keyId: token && keyId(token),
    plan: entry.plan,
    operation: entry.operation,
    method: entry.method,
    baseUrl: entry.baseUrl,
    path: redact(entry.path),
    query: redact(entry.query),
    status: entry.status,
    code: errorCode(entry),
    headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, redact(value)])),
    requestBody: requestBody && toBody(requestBody, redact(requestText as string)),
    responseBody:
      responseBody === '' ? undefined : toBody(new TextEncoder().encode(responseBody), redact(responseBody)),
    window: entry.window,
    remaining: remaining === undefined ? undefined : Number(remaining),
    refusal: entry.refusal,
    promisedAt: promisedAtMs === undefined ? undefined : new Date(promisedAtMs).toISOString(),
    sincePromiseMs: promisedBeforeMs === undefined ? undefined : entry.arrivedAtMs - promisedBeforeMs,
    strikes: entry.strikes,
    strike: entry.isStrike || undefined,
    episode: entry.episode,
    storedId: entry.storedId,
    fault: entry.fault,
    unreadable: entry.isUnreadable || undefined,
    connection: entry.connection,
    call: entry.call && redact(entry.call),
  };
  return Object.fromEntries(
    Object.entries(shown).filter(([, value]) => value !== undefined),
  ) as unknown as JournalEntry;
}

function toBody(bytes: Uint8Array, text: string): JournalBody {
  const size = { bytes: bytes.length, hash: fnv1a(bytes) };
  if (bytes.length < cutBodyBytes) return { ...size, text };
  return { ...size, text: text.slice(0, -uncertainLength).toWellFormed(), truncated: true };
}

function errorCode({ status, responseBody }: RequestRecord): string | undefined {
  if (status < 400) return undefined;
  try {
    const { code } = JSON.parse(responseBody);
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}
