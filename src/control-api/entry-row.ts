import { earliestRetryMs } from '../judge/promises.js';
import { rateLimitHeaders } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { Entries } from '../validation/schema.js';
import { fields, number, oneOf, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import { createInstantText } from '../values/instant-text.js';
import { textOfBytes } from '../values/json-bytes.js';
import { keyId } from '../values/mask-key.js';
import { described, instantText } from './input-values.js';
import { left, wait } from './wait-words.js';

/** One request and what became of it, without headers and bodies. A field without a value is left out. */
export interface EntryRow {
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
  path: string;
  query: string;
  /** 0 where the client went away first. */
  status: number;
  /** The `code` of an Error body. */
  code?: string;
  /** The window that the rate-limit headers describe. */
  window?: string;
  /** X-RateLimit-Remaining as it was sent. */
  remaining?: number;
  /** What was used of that window after the request, whatever the headers said; not in a ban that had begun before. */
  usage?: WindowUsage;
  /** Only where the limits of the plan did not apply to it. */
  exempt?: true;
  /** Why the request was refused. */
  refusal?: string;
  /** Of a refusal: when the service would serve again, ISO 8601. */
  promisedAt?: string;
  /** Of a refusal or a 503: the earliest instant that the answer named for coming back, ISO 8601. */
  toldUntil?: string;
  /** After a refusal of the key: how long after the promised instant this request came. Below 0 it came too early. */
  sincePromiseMs?: number;
  /** The last refusal of the key that had been answered before this request came, where nothing was served in between. */
  after?: RefusalBefore;
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
  /** The assumption that decided the answer, where the document leaves it open. */
  assumption?: string;
  /** The number of the connection, where the adapter knows it. */
  connection?: number;
  /** What the client sent as `X-Sim-Call`. */
  call?: string;
  /** Why it got its answer, in a few words; nothing where it was simply served. */
  inShort?: string;
}

export interface WindowUsage {
  limit: number;
  used: number;
  /** ISO 8601. */
  resetAt: string;
}

export interface RefusalBefore {
  /** The id of the refused request. */
  id: number;
  /** The wait that its answer asked for, where it can be read. */
  waitMs?: number;
  /** How long the client waited. */
  waitedMs: number;
}

export const entryRowFields = {
  id: described(count, 'Counted from 1 in the order of arrival; never given again.'),
  time: described(instantText, 'When the request arrived, by the simulator’s clock.'),
  durationMs: described(number, 'Until the answer was ready, by the simulator’s clock.'),
  key: optional(described(string, 'The API key: whole where the scenario names it, else only its end.')),
  keyId: optional(described(string, 'An id of the key, which does not show it.')),
  plan: optional(string),
  operation: optional(string),
  method: string,
  path: string,
  query: string,
  status: described(count, '0 where the client went away first.'),
  code: optional(described(string, 'The `code` of an Error body.')),
  window: optional(described(string, 'The window that the rate-limit headers describe.')),
  remaining: optional(described(number, 'X-RateLimit-Remaining as it was sent.')),
  usage: optional(
    described(
      fields({ limit: count, used: count, resetAt: instantText }),
      'What was used of that window after the request, whatever the headers said; not in a ban that had begun before.',
    ),
  ),
  exempt: optional(described(oneOf(true), 'Only where the limits of the plan did not apply to it.')),
  refusal: optional(described(string, 'Why the request was refused.')),
  promisedAt: optional(described(instantText, 'Of a refusal: when the service would serve again.')),
  toldUntil: optional(
    described(instantText, 'Of a refusal or a 503: the earliest instant that the answer named for coming back.'),
  ),
  sincePromiseMs: optional(
    described(number, 'How long after the promised instant this request came; below 0: too early.'),
  ),
  after: optional(
    described(
      fields({ id: count, waitMs: optional(number), waitedMs: number }),
      'The last refusal of the key that had been answered before, the wait that it asked for, and how long the client waited.',
    ),
  ),
  strikes: described(count, 'How many strikes the key had after this request.'),
  strike: optional(described(oneOf(true), 'Only where this request was a strike.')),
  episode: described(count, 'How many episodes of refusals the key had begun.'),
  storedId: optional(described(string, 'The id of the pet that the request stored.')),
  fault: optional(described(string, 'The fault rule that applied.')),
  unreadable: optional(described(oneOf(true), 'Only where a fault kept the client from reading the answer.')),
  assumption: optional(described(string, 'The assumption that decided the answer, where the document leaves it open.')),
  connection: optional(described(count, 'The number of the connection.')),
  call: optional(described(string, 'What the client sent as X-Sim-Call.')),
  inShort: optional(described(string, 'Why it got its answer, in a few words; nothing where it was simply served.')),
} satisfies Entries;

/** Object whose optional fields are present but undefined, so that all objects have one shape. */
export type Fields<Of> = { [Field in keyof Of]: Of[Field] | undefined };

/** Object without its undefined fields. */
export function present<Of>(fields: Fields<Of>): Of {
  const shown: Partial<Of> = {};
  for (const field in fields) if (fields[field] !== undefined) shown[field] = fields[field];
  return shown as Of;
}

/** Maximum number of cached key ids. Computing one takes as long as the rest of a row. */
const mostKeyIds = 1_000;

/** Creates a function that returns the fields of a row for a record of the journal. */
export function createRowFields() {
  const timeOf = createInstantText();
  const resetTimeOf = createInstantText();
  const keyIds = new Map<string, string>();
  const keyIdOf = (token: string) => {
    let id = keyIds.get(token);
    if (id === undefined) {
      id = keyId(token);
      if (keyIds.size >= mostKeyIds) keyIds.clear();
      keyIds.set(token, id);
    }
    return id;
  };
  /**
   * @param shown texts of the entry with its keys masked
   * @param before previous refusal of the key, if no request was served since
   */
  return (
    entry: RequestRecord,
    shown: Pick<Fields<EntryRow>, 'key' | 'path' | 'query' | 'call'>,
    before: RequestRecord | undefined,
  ): Fields<EntryRow> => {
    const { token, promisedAtMs, headers } = entry;
    const remaining = headers[rateLimitHeaders.remaining];
    const toldMs = earliestRetryMs(entry);
    const promisedBeforeMs = before?.promisedAtMs;
    const row: Fields<EntryRow> = {
      id: entry.id,
      time: timeOf(clamped(entry.arrivedAtMs)),
      durationMs: entry.answeredAtMs - entry.arrivedAtMs,
      key: shown.key,
      keyId: token && keyIdOf(token),
      plan: entry.plan,
      operation: entry.operation,
      method: entry.method,
      path: shown.path,
      query: shown.query,
      status: entry.status,
      code: errorCode(entry),
      window: entry.window,
      remaining: remaining === undefined ? undefined : Number(remaining),
      usage: usageOf(entry, resetTimeOf),
      exempt: (entry.plan !== undefined && !entry.isLimited) || undefined,
      refusal: entry.refusal,
      promisedAt: promisedAtMs === undefined ? undefined : instant(promisedAtMs),
      toldUntil: toldMs === undefined ? undefined : instant(toldMs),
      sincePromiseMs: promisedBeforeMs === undefined ? undefined : entry.arrivedAtMs - promisedBeforeMs,
      after: before && refusalBefore(before, entry),
      strikes: entry.strikes,
      strike: entry.isStrike || undefined,
      episode: entry.episode,
      storedId: entry.storedId,
      fault: entry.fault,
      unreadable: entry.isUnreadable || undefined,
      assumption: entry.assumption,
      connection: entry.connection,
      call: shown.call,
      inShort: undefined,
    };
    // An undefined field reads like an absent one.
    row.inShort = summarize(row as EntryRow) || undefined;
    return row;
  };
}

/** Limits an instant to the range of Date; a faulty header may name a later one. */
const clamped = (ms: number) => Math.min(ms, 8.64e15);
const instant = (ms: number) => new Date(clamped(ms)).toISOString();

function usageOf(
  { rate, refusal, isStrike, plan }: RequestRecord,
  timeOf: (ms: number) => string,
): WindowUsage | undefined {
  if (rate === undefined || plan === undefined || (refusal === 'ban' && !isStrike)) return undefined;
  const { limit, remaining, resetAtSeconds } = rate;
  return { limit, used: limit - remaining, resetAt: timeOf(clamped(resetAtSeconds * 1000)) };
}

function refusalBefore(before: RequestRecord, { id, arrivedAtMs }: RequestRecord): RefusalBefore | undefined {
  const waitedMs = arrivedAtMs - before.answeredAtMs;
  if (id <= before.lastArrivedId || waitedMs < 0) return undefined;
  const toldMs = earliestRetryMs(before);
  return {
    id: before.id,
    ...(toldMs !== undefined && { waitMs: Math.max(0, toldMs - before.answeredAtMs) }),
    waitedMs,
  };
}

function errorCode({ status, responseBody }: RequestRecord): string | undefined {
  if (status < 400) return undefined;
  try {
    const { code } = JSON.parse(textOfBytes(responseBody));
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

/** Reason for an answer in a few words, for one line of a list. `explain` lists the steps. */
function summarize(entry: EntryRow): string {
  const { operation, refusal, strike, strikes, promisedAt, after, fault, unreadable, usage, status, storedId, code } =
    entry;
  const until = promisedAt ?? entry.toldUntil;
  const leftMs = until === undefined ? 0 : Date.parse(until) - Date.parse(entry.time) - entry.durationMs;
  const waited = after?.waitMs === undefined ? '' : `came after ${wait(after.waitedMs)} of ${wait(after.waitMs)}`;
  if (strike && refusal === 'ban') return `strike ${strikes}: banned for ${left(leftMs)}`;
  if (refusal === 'ban') return `in a ban, ${left(leftMs)} left`;
  if (strike) return `strike ${strikes}${waited && `: ${waited}`}`;
  if (refusal !== undefined) return `${entry.window ?? 'limit'} used up, wait ${left(leftMs)}`;
  const byFault = fault === undefined ? '' : `${unreadable ? 'answer lost' : 'fault'} (${fault})`;
  if (status === 0) return byFault || 'the client left';
  const stored = storedId === undefined ? '' : `stored ${operation === 'createPet' ? 'pet ' : ''}${storedId}`;
  if (byFault !== '') return [stored, byFault].filter(Boolean).join('; ');
  if (status === 401) return 'no valid key';
  if (status >= 400) return code?.replaceAll('_', ' ') ?? `${status}`;
  if (usage !== undefined && usage.used === usage.limit)
    return [stored, 'the last one: 0 left'].filter(Boolean).join('; ');
  if (after !== undefined) return `served again after ${wait(after.waitedMs)}`;
  return stored;
}
