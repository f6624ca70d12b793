import { rateLimitHeaders } from '../contract/document.js';
import { createRedactor } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import type { RequestRecord } from '../state/request-record.js';
import { fnv1a, keyId, maskedKey } from '../values/mask-key.js';

/** A body as the control API shows it. */
export interface JournalBody {
  /** Of what the journal keeps. */
  bytes: number;
  /** FNV-1a of the bytes, in hexadecimal. */
  hash: string;
  text: string;
  /** Where the journal has cut it; `text` is not all of it. */
  truncated?: true;
}

/** One request and its answer as the control API shows them. A field without a value is left out. */
export interface JournalEntry {
  id: number;
  /** When it arrived, ISO 8601 of the simulator's clock. */
  time: string;
  /** Until the answer was ready, by the simulator's clock. */
  durationMs: number;
  /** The API key, all but its end taken out, and its id, the same for the same key. */
  key?: string;
  keyId?: string;
  plan?: string;
  operation?: string;
  method: string;
  path: string;
  query: string;
  /** 0 when the client went away first. */
  status: number;
  /** The code of an error. */
  code?: string;
  headers: Record<string, string>;
  requestBody?: JournalBody;
  responseBody?: JournalBody;
  window?: string;
  remaining?: number;
  refusal?: string;
  /** Of a refusal: when the service would serve again. */
  promisedAt?: string;
  /** After a refusal of the key: how long after the promise this request came; below 0 it came too early. */
  sincePromiseMs?: number;
  strikes: number;
  /** Only where this request was one. */
  strike?: true;
  episode: number;
  storedId?: string;
  fault?: string;
  /** Only where a fault kept the client from reading the answer as it was meant. */
  unreadable?: true;
  connection?: number;
  /** What the client sent as `X-Sim-Call`. */
  call?: string;
}

/** Where the journal cuts a body: one of this size has most likely lost its end. */
const cutBodyBytes = 64 * 1024;
/** As much of a cut body is not shown, because a key may have been cut with it. */
const uncertainLength = 256;

/** Shows entries, which must come in the order of the journal: a wait is measured from the refusal before. */
export interface EntryView {
  /** Looks at an entry that is not shown. */
  pass(entry: RequestRecord): void;
  show(entry: RequestRecord): JournalEntry;
}

export function createEntryView(sim: Simulator): EntryView {
  const redact = createRedactor(sim);
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
      return toShown(entry, promisedBeforeMs, redact);
    },
  };
}

function toShown(
  entry: RequestRecord,
  promisedBeforeMs: number | undefined,
  redactorFor: ReturnType<typeof createRedactor>,
): JournalEntry {
  const { token, promisedAtMs, requestBody, responseBody, headers } = entry;
  const requestText = requestBody && new TextDecoder().decode(requestBody);
  const texts = [entry.path, entry.query, entry.call, requestText, responseBody, ...Object.values(headers)];
  const redact = redactorFor(texts.join('\n'), token);
  const remaining = headers[rateLimitHeaders.remaining];
  const shown: { [Field in keyof JournalEntry]: JournalEntry[Field] | undefined } = {
    id: entry.id,
    time: new Date(entry.arrivedAtMs).toISOString(),
    durationMs: entry.answeredAtMs - entry.arrivedAtMs,
    key: token && maskedKey(token),
    keyId: token && keyId(token),
    plan: entry.plan,
    operation: entry.operation,
    method: entry.method,
    path: redact(entry.path),
    query: redact(entry.query),
    status: entry.status,
    code: errorCode(entry),
    headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, redact(value)])),
    requestBody: requestBody && shownBody(requestBody, redact(requestText as string)),
    responseBody:
      responseBody === '' ? undefined : shownBody(new TextEncoder().encode(responseBody), redact(responseBody)),
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

function shownBody(bytes: Uint8Array, text: string): JournalBody {
  const body = { bytes: bytes.length, hash: fnv1a(bytes) };
  if (bytes.length < cutBodyBytes) return { ...body, text };
  return { ...body, text: text.slice(0, -uncertainLength).toWellFormed(), truncated: true };
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
