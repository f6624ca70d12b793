import type { EntryRow } from './entry-row.js';
import { left, wait } from './wait-words.js';

/** Why a request got its answer, in a few words, for one line of a list. `explain` says it step by step. */
export function inShort(entry: EntryRow): string {
  const { refusal, strike, strikes, promisedAt, after, fault, unreadable, usage, status, storedId, code } = entry;
  const until = promisedAt ?? entry.toldUntil;
  const leftMs = until === undefined ? 0 : Date.parse(until) - Date.parse(entry.time) - entry.durationMs;
  const waited = after?.waitMs === undefined ? '' : `came after ${wait(after.waitedMs)} of ${wait(after.waitMs)}`;
  if (strike && refusal === 'ban') return `strike ${strikes}: banned for ${left(leftMs)}`;
  if (refusal === 'ban') return `in a ban, ${left(leftMs)} left`;
  if (strike) return `strike ${strikes}${waited && `: ${waited}`}`;
  if (refusal !== undefined) return `${entry.window ?? 'limit'} used up, wait ${left(leftMs)}`;
  const byFault = fault === undefined ? '' : `${unreadable ? 'answer lost' : 'fault'} (${fault})`;
  if (status === 0) return byFault || 'the client left';
  const stored = storedId === undefined ? '' : `stored pet ${storedId}`;
  if (byFault !== '') return [stored, byFault].filter(Boolean).join('; ');
  if (status === 401) return 'no valid key';
  if (status >= 400) return code?.replaceAll('_', ' ') ?? `${status}`;
  if (usage !== undefined && usage.used === usage.limit)
    return [stored, 'the last one: 0 left'].filter(Boolean).join('; ');
  if (after !== undefined) return `served again after ${wait(after.waitedMs)}`;
  return stored;
}
