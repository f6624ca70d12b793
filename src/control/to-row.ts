import { rateLimitHeaders } from '../contract/document.js';
import type { RequestRecord } from '../state/request-record.js';
import { keyId } from '../values/mask-key.js';
import { toldUntilMs } from '../verdict/promises.js';
import type { EntryRow, RefusalBefore, WindowUsage } from './entry-row.js';
import { inShort } from './in-short.js';

/**
 * A record of the journal as a row.
 * @param shown the texts of the entry without keys that nobody should see
 * @param before the refusal of the key before it, where nothing was served since
 */
export function toRow(
  entry: RequestRecord,
  shown: Pick<EntryRow, 'key' | 'path' | 'query' | 'call'>,
  before: RequestRecord | undefined,
): EntryRow {
  const { token, promisedAtMs, headers } = entry;
  const remaining = headers[rateLimitHeaders.remaining];
  const toldMs = toldUntilMs(entry);
  const promisedBeforeMs = before?.promisedAtMs;
  const row: { [Field in keyof EntryRow]: EntryRow[Field] | undefined } = {
    id: entry.id,
    time: instant(entry.arrivedAtMs),
    durationMs: entry.answeredAtMs - entry.arrivedAtMs,
    key: shown.key,
    keyId: token && keyId(token),
    plan: entry.plan,
    operation: entry.operation,
    method: entry.method,
    path: shown.path,
    query: shown.query,
    status: entry.status,
    code: errorCode(entry),
    window: entry.window,
    remaining: remaining === undefined ? undefined : Number(remaining),
    usage: usageOf(entry),
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
    connection: entry.connection,
    call: shown.call,
    inShort: undefined,
  };
  for (const field in row) if (row[field as keyof EntryRow] === undefined) delete row[field as keyof EntryRow];
  const words = inShort(row as EntryRow);
  if (words !== '') row.inShort = words;
  return row as EntryRow;
}

/** A date that no calendar holds is one that an answer made up. */
const instant = (ms: number) => new Date(Math.min(ms, 8.64e15)).toISOString();

function usageOf({ rate, refusal, isStrike, plan }: RequestRecord): WindowUsage | undefined {
  if (rate === undefined || plan === undefined || (refusal === 'ban' && !isStrike)) return undefined;
  const { limit, remaining, resetAtSeconds } = rate;
  return { limit, used: limit - remaining, resetAt: instant(resetAtSeconds * 1000) };
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
