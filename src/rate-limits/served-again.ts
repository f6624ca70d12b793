import type { RequestRecord, WindowName } from '../requests/request-record.js';
import { formatRemaining } from '../values/format-duration.js';
import type { ApiKey } from './api-key.js';

/** Time from which a key's requests are accepted again, and the reasons until then. Times are Unix milliseconds. */
export interface ServedAgain {
  atMs: number;
  /** End of the key's ban; `undefined` if the key is not banned. */
  bannedUntilMs: number | undefined;
  /** Used-up window that resets at `atMs`, after any ban; `undefined` if the end of the ban is the last reason. */
  window: WindowName | undefined;
}

/**
 * Returns when a key is served again, and why: first the end of its ban, then the reset of its used-up window. If
 * several windows are used up, the latest reset counts. Returns `undefined` for a key that is served now.
 * @param key key whose windows and ban were updated to `nowMs`
 */
export function servedAgain(key: ApiKey, nowMs: number): ServedAgain | undefined {
  const bannedUntilMs = nowMs < key.bannedUntilMs ? key.bannedUntilMs : undefined;
  let atMs = bannedUntilMs ?? nowMs;
  let window: WindowName | undefined;
  for (const { name, remaining, resetAtSeconds } of key.windows) {
    const resetAtMs = resetAtSeconds * 1000;
    if (remaining > 0 || resetAtMs <= atMs) continue;
    atMs = resetAtMs;
    if (bannedUntilMs === undefined || outlasts(resetAtMs, bannedUntilMs)) window = name;
  }
  return bannedUntilMs === undefined && window === undefined ? undefined : { atMs, bannedUntilMs, window };
}

/** Returns the same for a refused request, from its record; `undefined` for any other request. */
export function servedAgainAfter({
  refusal,
  promisedAtMs,
  bannedUntilMs = promisedAtMs,
  window,
}: Pick<RequestRecord, 'refusal' | 'promisedAtMs' | 'bannedUntilMs' | 'window'>): ServedAgain | undefined {
  if (refusal === undefined || promisedAtMs === undefined || bannedUntilMs === undefined) return undefined;
  if (refusal === 'limit') return { atMs: promisedAtMs, bannedUntilMs: undefined, window };
  return { atMs: promisedAtMs, bannedUntilMs, window: outlasts(promisedAtMs, bannedUntilMs) ? window : undefined };
}

/**
 * Whether a window resets after a ban. Resets are whole seconds, and Retry-After rounds the end of a ban up to one, so a
 * reset in the same second is no later.
 */
const outlasts = (resetAtMs: number, bannedUntilMs: number) => resetAtMs - bannedUntilMs >= 1000;

/**
 * Formats the time until an instant in whole seconds, rounded up like Retry-After: `10 s`, `1:48`, `23:59:58`.
 */
export const timeLeft = (untilMs: number, nowMs: number) =>
  formatRemaining(Math.max(0, Math.ceil((untilMs - nowMs) / 1000)) * 1000);

/**
 * Formats an instant in UTC: `11:58:33`, and on another day than `nowMs` with the day and date, `Sat 28 Nov 11:58:33`.
 * Adds the year if it differs.
 */
export function clockText(ms: number, nowMs: number): string {
  const [day, now] = [ms, nowMs].map((each) => new Date(Math.min(each, 8.64e15)).toUTCString()) as [string, string];
  // Form of `toUTCString`, which ECMA-262 fixes: `Sat, 28 Nov 2026 11:58:33 GMT`.
  const [name, date, month, year, time] = day.split(/,? /) as [string, string, string, string, string];
  if (day.slice(0, 16) === now.slice(0, 16)) return time;
  const isSameYear = year === now.split(' ')[3];
  return [name, Number(date), month, ...(isSameYear ? [] : [year]), time].join(' ');
}

/** Describes a refusal in a few words: `banned for 2:00 (day used up, wait 23:59:58)`, `minute used up, wait 10 s`. */
export function refusalText({ atMs, bannedUntilMs, window }: ServedAgain, nowMs: number, isNewBan: boolean): string {
  const wait = `${window ?? 'limit'} used up, wait ${timeLeft(atMs, nowMs)}`;
  if (bannedUntilMs === undefined) return wait;
  const left = timeLeft(bannedUntilMs, nowMs);
  return `${isNewBan ? `banned for ${left}` : `banned, ${left} left`}${window === undefined ? '' : ` (${wait})`}`;
}

/** Describes the used-up window after a ban: `, then the day is used up until Sat 28 Nov 11:56:29`; without one empty. */
export const usedUpAfterBan = ({ atMs, bannedUntilMs, window }: ServedAgain, nowMs: number) =>
  bannedUntilMs === undefined || window === undefined
    ? ''
    : `, then the ${window} is used up until ${clockText(atMs, nowMs)}`;

/** Describes when a key is served again: `then the day is used up: served again Sat 28 Nov 11:56:29, in 23:59:08`. */
export function servedAgainText({ atMs, bannedUntilMs, window }: ServedAgain, nowMs: number): string {
  const reason = bannedUntilMs !== undefined && window !== undefined ? `then the ${window} is used up: ` : '';
  return `${reason}served again at ${clockText(atMs, nowMs)}, in ${timeLeft(atMs, nowMs)}`;
}
