import type { JudgedRequest } from './run.js';

/**
 * Minimum growth factor of the waits between a call's attempts. After such growth, a short wait starts another call.
 */
const leastGrowth = 1.5;
/** Maximum difference between the waits of two calls that count as equal, as a share. */
const mostApart = 0.25;
/** Random difference between equal waits, in milliseconds. */
const noiseMs = 40;

/**
 * Splits equal requests in sequence into calls, each with its retries. A new call starts when growing waits start again
 * from a short wait. If the number of calls is known, a new call also starts when the client changes its connection.
 * @param most maximum number of calls; `undefined` if unknown. A new connection then proves nothing, and a short wait
 * may be a retry of an outer retry loop
 * @returns the requests of each call; one list if the calls cannot be distinguished
 */
export function splitIntoCalls(tries: readonly JudgedRequest[], most: number | undefined): JudgedRequest[][] {
  const calls: JudgedRequest[][] = [];
  const series: number[][] = [];
  for (const [at, request] of tries.entries()) {
    const before = tries[at - 1];
    const waitMs = before === undefined ? 0 : request.arrivedAtMs - before.answeredAtMs;
    const waits = series.at(-1) ?? [];
    if (
      before === undefined ||
      restartsWaits(waits, waitMs, most) ||
      (most !== undefined && startsNextConnection(tries, at))
    ) {
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

/**
 * Whether all calls have about equal waits, as far as their number of retries allows. A restart of the waits is
 * otherwise a coincidence.
 */
function areAlike([first = [], ...others]: readonly (readonly number[])[]): boolean {
  const isNear = (ms: number, otherMs: number) => Math.abs(ms - otherMs) <= noiseMs + otherMs * mostApart;
  return others.every(
    (waits) => waits.length > 1 && waits.every((ms, at) => at >= first.length || isNear(ms, first[at] as number)),
  );
}

function restartsWaits(waits: readonly number[], waitMs: number, most: number | undefined): boolean {
  const [firstMs = 0, lastMs = 0] = [waits[0], waits.at(-1)];
  // Requires growing waits, because a loop without waits has a long wait now and then by coincidence.
  const hasGrown = firstMs >= noiseMs && lastMs >= firstMs * leastGrowth && lastMs >= firstMs + 2 * noiseMs;
  // A next call starts without a wait, whereas a retry of an outer retry loop waits as long as the first retry.
  const mostMs = most === undefined ? firstMs / 2 : firstMs + noiseMs;
  return hasGrown && waitMs <= mostMs;
}

/**
 * Whether the connection changes at this attempt, with at least two attempts on the connection before and at least two
 * after.
 */
function startsNextConnection(tries: readonly JudgedRequest[], at: number): boolean {
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
