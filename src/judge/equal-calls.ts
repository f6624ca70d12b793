import type { JudgedRequest } from './run.js';

/** Minimum growth factor of a call's waits before a short wait starts another call. */
const leastGrowth = 1.5;
/** Maximum difference between equal waits of two calls, as a share. */
const mostApart = 0.25;
/** Random differences between waits, in milliseconds. */
const noiseMs = 40;

/**
 * Splits equal sequential attempts into calls, by waits and connections. A new call starts when a growing series of
 * waits restarts or, with a known number of calls, when a connection with several attempts is replaced by another.
 * @param most maximum number of calls; `undefined` if unknown, so that a restarted series may be a retry in an outer
 * layer and a new connection proves nothing
 * @returns one list if the calls cannot be distinguished
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

/** Whether every series has the waits of the first, up to its own length. Excludes long waits by chance. */
function areAlike([first = [], ...others]: readonly (readonly number[])[]): boolean {
  const isNear = (ms: number, otherMs: number) => Math.abs(ms - otherMs) <= noiseMs + otherMs * mostApart;
  return others.every(
    (waits) => waits.length > 1 && waits.every((ms, at) => at >= first.length || isNear(ms, first[at] as number)),
  );
}

function restartsWaits(waits: readonly number[], waitMs: number, most: number | undefined): boolean {
  const [firstMs = 0, lastMs = 0] = [waits[0], waits.at(-1)];
  // A loop without waits has long waits by chance.
  const hasGrown = firstMs >= noiseMs && lastMs >= firstMs * leastGrowth && lastMs >= firstMs + 2 * noiseMs;
  // A next call starts at once, whereas a retry of an outer layer waits as long as the first retry.
  const mostMs = most === undefined ? firstMs / 2 : firstMs + noiseMs;
  return hasGrown && waitMs <= mostMs;
}

/** Whether a connection with at least two attempts ends before this attempt, and another with at least two starts. */
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
