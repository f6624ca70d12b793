import type { JudgedRequest } from './run.js';

/** Least factor by which the waits of a call have grown before a short one begins another call. */
const leastGrowth = 1.5;
/** Most by which equal waits of two calls differ, as a share. */
const mostApart = 0.25;
/** Differences of waits by chance. */
const noiseMs = 40;

/**
 * Splits equal tries of one thread, sent one after the other, into the calls that they are of, as far as waits and
 * connections show it: a series of waits that starts again, or, of a known number of calls, a connection that brought several
 * tries and then another one that does.
 * @param most how many calls they can be; `undefined` if nobody knows, where a series that starts again after a wait may be
 *   that of a retry in another layer, and a client may have changed its connection
 * @returns one list if nothing tells calls apart
 */
export function callsOf(tries: readonly JudgedRequest[], most: number | undefined): JudgedRequest[][] {
  const calls: JudgedRequest[][] = [];
  const series: number[][] = [];
  for (const [at, request] of tries.entries()) {
    const before = tries[at - 1];
    const waitMs = before === undefined ? 0 : request.arrivedAtMs - before.answeredAtMs;
    const waits = series.at(-1) ?? [];
    if (before === undefined || startsAgain(waits, waitMs, most) || (most !== undefined && isOnNext(tries, at))) {
      calls.push([request]);
      series.push([]);
    } else {
      calls.at(-1)?.push(request);
      waits.push(waitMs);
    }
  }
  const areSeveral = most === undefined ? areAlike(series) : calls.length <= most;
  return areSeveral ? calls : [[...tries]];
}

/** Whether each series has the waits of the first, as far as it goes: long waits by chance are no rhythm. */
function areAlike([first = [], ...others]: readonly (readonly number[])[]): boolean {
  const isNear = (ms: number, otherMs: number) => Math.abs(ms - otherMs) <= noiseMs + otherMs * mostApart;
  return others.every(
    (waits) => waits.length > 1 && waits.every((ms, at) => at >= first.length || isNear(ms, first[at] as number)),
  );
}

function startsAgain(waits: readonly number[], waitMs: number, most: number | undefined): boolean {
  const [firstMs = 0, lastMs = 0] = [waits[0], waits.at(-1)];
  // A loop without waits has long ones by chance.
  const hasGrown = firstMs >= noiseMs && lastMs >= firstMs * leastGrowth && lastMs >= firstMs + 2 * noiseMs;
  // The next call begins at once; another layer of retries waits as the first did.
  const mostMs = most === undefined ? firstMs / 2 : firstMs + noiseMs;
  return hasGrown && waitMs <= mostMs;
}

/** Whether a connection that brought at least two tries ends there, and another one begins that does too. */
function isOnNext(tries: readonly JudgedRequest[], at: number): boolean {
  const [last, before, request, next] = [at - 2, at - 1, at, at + 1].map((index) => tries[index]?.connection);
  return (
    before !== undefined &&
    request !== undefined &&
    last === before &&
    request === next &&
    before !== request &&
    !tries.slice(at).some(({ connection }) => connection === before)
  );
}
