import type { RequestRecord, WindowName } from '../requests/request-record.js';
import { formatRemaining } from '../values/format-duration.js';
import type { ApiKey } from './api-key.js';
import type { Algorithm, Window } from './window.js';

/** Time from which a key's requests are accepted again, and the reasons until then. Times are Unix milliseconds. */
export interface ServedAgain {
  atMs: number;
  /** End of the key's ban; `undefined` if the key is not banned. */
  bannedUntilMs: number | undefined;
  /** Used-up window that resets at `atMs`, after any ban; `undefined` if the end of the ban is the last reason. */
  window: WindowName | undefined;
  /** Cost of a refused request for which the window has some, but too few requests left. */
  cost?: number | undefined;
  /** Requests left in the window, if `cost` is set. */
  left?: number | undefined;
}

/** Requests for which a key needs room. */
export interface Room {
  readonly algorithm: Algorithm;
  /** Number of requests as which a request counts. */
  readonly cost: number;
}

/**
 * Returns when a key is served again, and why: first the end of its ban, then the reset of its used-up window. If
 * several windows are used up, the latest reset counts. Returns `undefined` for a key that is served now.
 * @param key key whose windows and ban were updated to `nowMs`
 * @param room cost of the request that is to be served; default: one
 */
export function servedAgain(key: ApiKey, nowMs: number, room?: Room): ServedAgain | undefined {
  const { cost = 1, algorithm } = room ?? {};
  const bannedUntilMs = nowMs < key.bannedUntilMs ? key.bannedUntilMs : undefined;
  let atMs = bannedUntilMs ?? nowMs;
  let window: Window | undefined;
  for (const each of key.windows) {
    if (each.remaining >= cost) continue;
    const atSeconds = cost === 1 ? each.resetAtSeconds : algorithm?.readyAt(each, Math.floor(nowMs / 1000), cost);
    const readyAtMs = (atSeconds ?? each.resetAtSeconds) * 1000;
    if (readyAtMs <= atMs) continue;
    atMs = readyAtMs;
    if (bannedUntilMs === undefined || outlasts(readyAtMs, bannedUntilMs)) window = each;
  }
  if (bannedUntilMs === undefined && window === undefined) return undefined;
  return { atMs, bannedUntilMs, window: window?.name, ...shortOf(cost, window?.remaining) };
}

/** Fields of `ServedAgain` for a request that needs more than the requests left; none without any left. */
const shortOf = (cost: number | undefined, left = 0) => (cost !== undefined && left > 0 ? { cost, left } : {});

/** Returns the same for a refused request, from its record; `undefined` for any other request. */
export function servedAgainAfter({
  refusal,
  promisedAtMs,
  bannedUntilMs = promisedAtMs,
  window,
  cost,
  rate,
}: Pick<RequestRecord, 'refusal' | 'promisedAtMs' | 'bannedUntilMs' | 'window'> &
  Partial<Pick<RequestRecord, 'cost' | 'rate'>>): ServedAgain | undefined {
  if (refusal === undefined || promisedAtMs === undefined || bannedUntilMs === undefined) return undefined;
  if (refusal === 'limit')
    return { atMs: promisedAtMs, bannedUntilMs: undefined, window, ...shortOf(cost, rate?.remaining) };
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

/**
 * Describes a refusal in a few words: `banned for 2:00 (day used up, wait 23:59:58)`, `minute used up, wait 10 s`,
 * `minute has 2 left for a request of 5, wait 10 s`.
 */
export function refusalText(
  { atMs, bannedUntilMs, window, cost, left: some }: ServedAgain,
  nowMs: number,
  isNewBan: boolean,
): string {
  const state = cost === undefined ? 'used up' : `has ${some} left for a request of ${cost}`;
  const wait = `${window ?? 'limit'} ${state}, wait ${timeLeft(atMs, nowMs)}`;
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
