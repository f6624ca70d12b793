import type { ObservedRequest, RequestRecord } from '../../src/requests/request-record.js';
import type { Trial } from './trials.js';

/** End of a client's program: success, error, or stopped after the time limit. */
export type End = 'ok' | 'error' | 'stopped';

/** Judgement by times, statuses and headers only, with the reason if the client was wrong. */
export interface Reading {
  reading: 'right' | 'wrong' | 'unknown';
  why: string;
}

/**
 * Judges a run of sequential calls without code of the judge: each wait against the previous response, stored pets,
 * requests with a dead key, and the final result. @param entries in the order of arrival
 */
export function readRun(
  entries: readonly RequestRecord[],
  end: End,
  { isServed = false, about, watchMs }: Trial,
): Reading {
  const wrong = (why: string): Reading => ({ reading: 'wrong', why });
  const last = entries.at(-1);
  if (last === undefined) return { reading: 'unknown', why: 'sent nothing' };
  for (const [index, entry] of entries.entries()) {
    const before = entries[index - 1];
    if (before === undefined) continue;
    const earlyMs = earliestReturnMs(before) - entry.arrivedAtMs;
    if (earlyMs > 50) return wrong(`request ${index + 1} came ${Math.round(earlyMs)} ms too early`);
    if (before.status === 401) return wrong('repeated a key that was refused for good');
  }
  const bodies = entries.filter(({ storedId }) => storedId !== undefined).map(({ requestBody }) => String(requestBody));
  if (new Set(bodies).size < bodies.length) return wrong('stored the same pet twice');
  if (about !== undefined && entries.every(({ status }) => status !== about)) {
    return { reading: 'unknown', why: `never got a ${about}` };
  }
  if (end === 'stopped') {
    const lateMs = (entries[0]?.arrivedAtMs ?? 0) + watchMs - earliestReturnMs(last);
    if (Number.isFinite(lateMs) && lateMs > 10_000) return wrong('still waits, long after the promised time');
    return { reading: 'unknown', why: 'still waiting' };
  }
  if (entries.length === 1 && last.status === 503 && last.method === 'GET' && end === 'error') {
    return { reading: 'unknown', why: 'never retried, and reported an error' };
  }
  const isLastServed = last.status >= 200 && last.status < 300 && !last.isUnreadable;
  if (isServed && !isLastServed) return wrong('gave up although a wait would have succeeded');
  if (end === 'ok' && !isLastServed) return wrong('told its caller that all was well');
  return { reading: 'right', why: '' };
}

/** Earliest promised time for a retry, in Unix milliseconds: any promise of the response is sufficient. */
function earliestReturnMs({ status, headers, answeredAtMs }: ObservedRequest): number {
  const field = (wanted: string) => Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
  const retryAfter = field('retry-after');
  if (status !== 429 && retryAfter === undefined) return Number.NEGATIVE_INFINITY;
  const date = Date.parse(retryAfter ?? '');
  const waitedMs = /^\d+$/.test(retryAfter ?? '') ? answeredAtMs + Number(retryAfter) * 1000 : date;
  const resetMs = status === 429 ? Number(field('x-ratelimit-reset')) * 1000 : Number.NaN;
  return Math.min(...[waitedMs, resetMs].filter((instant) => !Number.isNaN(instant)));
}
