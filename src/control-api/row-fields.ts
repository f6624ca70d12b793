import { toldUntilMs } from '../judge/promises.js';
import { rateLimitHeaders } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';
import { createInstantText } from '../values/instant-text.js';
import { keyId } from '../values/mask-key.js';
import type { EntryRow, RefusalBefore, WindowUsage } from './entry-row.js';
import { inShort } from './in-short.js';

/** What is shown of something: a field may be there without a value, so that all have the same form. */
export type Fields<Of> = { [Field in keyof Of]: Of[Field] | undefined };

/** The same without the fields that have no value. */
export function present<Of>(fields: Fields<Of>): Of {
  const shown: Partial<Of> = {};
  for (const field in fields) if (fields[field] !== undefined) shown[field] = fields[field];
  return shown as Of;
}

/** Key ids that are remembered; to make one takes as long as all the rest of a row. */
const mostKeyIds = 1_000;

/** A function that gives the fields of a row for a record of the journal. */
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
   * @param shown the texts of the entry without keys that nobody should see
   * @param before the refusal of the key before it, where nothing was served since
   */
  return (
    entry: RequestRecord,
    shown: Pick<Fields<EntryRow>, 'key' | 'path' | 'query' | 'call'>,
    before: RequestRecord | undefined,
  ): Fields<EntryRow> => {
    const { token, promisedAtMs, headers } = entry;
    const remaining = headers[rateLimitHeaders.remaining];
    const toldMs = toldUntilMs(entry);
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
    // Where a field of a row has no value, it has none for whoever reads the row.
    row.inShort = inShort(row as EntryRow) || undefined;
    return row;
  };
}

/** A date that no calendar holds is one that an answer made up. */
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
  const toldMs = toldUntilMs(before);
  return {
    id: before.id,
    ...(toldMs !== undefined && { waitMs: Math.max(0, toldMs - before.answeredAtMs) }),
    waitedMs,
  };
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
