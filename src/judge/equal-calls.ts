import { type JudgedRequest, waitedMs } from './run.js';

/**
 * Minimum growth factor of the waits between a call's retries. If a short wait follows such growth, a new call has
 * begun.
 */
const minimumGrowth = 1.5;
/** Maximum relative difference between two waits that count as equal. */
const maximumApart = 0.25;
/** Maximum difference between two waits of equal length that delays of the machine explain, in milliseconds. */
const noiseMs = 40;

/**
 * Divides a client's equal requests, which it sent in sequence, into calls, each with its retries. A new call starts
 * where growing waits begin again with a short wait. If the number of calls is known, a new call also starts where the
 * client changes its connection.
 * @param most maximum number of calls; `undefined` if unknown. A new connection is then no evidence, and a short wait
 * may come from an outer retry loop
 * @returns the requests of each call; one list if the calls cannot be distinguished
 */
export function splitIntoCalls(attempts: readonly JudgedRequest[], most: number | undefined): JudgedRequest[][] {
  const calls: JudgedRequest[][] = [];
  const series: number[][] = [];
  for (const [index, request] of attempts.entries()) {
    const previousRequest = attempts[index - 1];
    const waitMs = waitBefore(attempts, index);
    const waits = series.at(-1) ?? [];
    if (
      previousRequest === undefined ||
      restartsWaits(waits, waitMs, most) ||
      (most !== undefined && startsNextConnection(attempts, index))
    ) {
      calls.push([request]);
      series.push([]);
    } else {
      calls.at(-1)?.push(request);
      waits.push(waitMs);
    }
  }
  const areSeveral = most === undefined ? areAlike(series) : calls.length <= most;
  return areSeveral ? calls : [[...attempts]];
}

/** Wait between the response to the previous attempt and this one, in milliseconds. */
function waitBefore(attempts: readonly JudgedRequest[], index: number): number {
  const [previousRequest, request] = [attempts[index - 1], attempts[index]];
  return previousRequest === undefined || request === undefined ? 0 : waitedMs(previousRequest, request);
}

/** Whether a client waited between attempts, instead of sending each at once. */
export const hasWaits = (attempts: readonly JudgedRequest[]): boolean =>
  attempts.some((_, index) => waitBefore(attempts, index) >= noiseMs);

/** Whether the waits of all calls are about equal. If not, the requests were probably divided into the wrong calls. */
function areAlike([first = [], ...others]: readonly (readonly number[])[]): boolean {
  const isNear = (ms: number, otherMs: number) => Math.abs(ms - otherMs) <= noiseMs + otherMs * maximumApart;
  return others.every(
    (waits) =>
      waits.length > 1 && waits.every((ms, index) => index >= first.length || isNear(ms, first[index] as number)),
  );
}

function restartsWaits(waits: readonly number[], waitMs: number, most: number | undefined): boolean {
  const [firstMs = 0, lastMs = 0] = [waits[0], waits.at(-1)];
  // Requires that the waits between the attempts grew. A client that retries without waits can also have a single long
  // wait.
  const hasGrown = firstMs >= noiseMs && lastMs >= firstMs * minimumGrowth && lastMs >= firstMs + 2 * noiseMs;
  // Limits the wait before a new call to half the first wait, if the number of calls is unknown. A longer wait may
  // belong to an outer retry loop, which waits about as long as before the first retry.
  const maximumMs = most === undefined ? firstMs / 2 : firstMs + noiseMs;
  return hasGrown && waitMs <= maximumMs;
}

/**
 * Whether the client replaces its connection at this request: it sent two requests on the old connection before, sends
 * two on the new one, and never uses the old one again.
 */
function startsNextConnection(attempts: readonly JudgedRequest[], at: number): boolean {
  const [last, before, request, next] = [at - 2, at - 1, at, at + 1].map((index) => attempts[index]?.connection);
  return (
    before !== undefined &&
    request !== undefined &&
    last === before &&
    request === next &&
    before !== request &&
    !attempts.slice(at).some(({ connection }) => connection === before)
  );
}
