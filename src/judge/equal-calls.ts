import { isServed, type JudgedRequest, waitedMs } from './run.js';

/**
 * Minimum ratio of the last wait to the first wait in a series of retries that counts as growing waits. If a short wait
 * follows growing waits, the client has begun a new call.
 */
const minimumGrowth = 1.5;
/** Maximum relative difference between two waits that count as equal. */
const maximumApart = 0.25;
/** Maximum inaccuracy of a client's waits that a busy machine causes. */
const noiseMs = 40;

/**
 * Divides equal requests of a client into calls, each with its retries. A new call starts where growing waits begin
 * again with a short wait. If `maximumCalls` is known, a change of the connection also starts a new call.
 * @param maximumCalls maximum number of calls that the requests can contain; `undefined` if unknown
 * @returns the requests of each call; one list if the calls cannot be distinguished
 */
export function splitIntoCalls(
  attempts: readonly JudgedRequest[],
  maximumCalls: number | undefined,
): JudgedRequest[][] {
  const calls: JudgedRequest[][] = [];
  const series: number[][] = [];
  for (const [index, request] of attempts.entries()) {
    const previousRequest = attempts[index - 1];
    const waitMs = waitBefore(attempts, index);
    const waits = series.at(-1) ?? [];
    if (
      previousRequest === undefined ||
      restartsWaits(waits, waitMs, maximumCalls) ||
      (maximumCalls !== undefined && startsNextConnection(attempts, index))
    ) {
      calls.push([request]);
      series.push([]);
    } else {
      calls.at(-1)?.push(request);
      waits.push(waitMs);
    }
  }
  const areSeveral = maximumCalls === undefined ? areAlike(series) : calls.length <= maximumCalls;
  return areSeveral ? calls : [[...attempts]];
}

/**
 * Divides requests into rows, in order.
 * @param continues whether a request belongs to the row before it
 */
export function divideIntoRows(
  requests: readonly JudgedRequest[],
  continues: (request: JudgedRequest, last: JudgedRequest, first: JudgedRequest) => boolean,
): JudgedRequest[][] {
  const rows: JudgedRequest[][] = [];
  for (const request of requests) {
    const row = rows.at(-1);
    if (row !== undefined && continues(request, row.at(-1) as JudgedRequest, row[0] as JudgedRequest))
      row.push(request);
    else rows.push([request]);
  }
  return rows;
}

/**
 * Maximum number of callers, or of calls without a success, to which consecutive requests may belong. Concurrent callers
 * take turns on a few connections. A client whose requests never overlap, but whose connections change quickly, may have
 * as many callers as connections. A caller may also go on to its next call after an error.
 * @param equal all equal requests of a client, in order of arrival
 * @param calls number of calls that the scenario asks for
 */
export function maximumCallers(equal: readonly JudgedRequest[], calls = 1): number {
  if (equal.every(({ call }) => call !== undefined)) return 1;
  if (equal.some(({ id }, at) => id <= (equal[at - 1]?.lastArrivedId ?? 0))) return Number.POSITIVE_INFINITY;
  const connections = new Set(equal.map(({ connection }) => connection));
  const isSequential = equal.every(({ session }) => session.isSequential);
  const callers = isSequential ? 1 : connections.has(undefined) ? Number.POSITIVE_INFINITY : connections.size;
  return calls > callers ? Math.max(callers, calls - equal.filter(isServed).length) : callers;
}

/** Whether equal requests in a row, each after the response to the one before, contain at least `rounds` of one caller. */
export const hasRounds = ({ length }: readonly JudgedRequest[], rounds: number, callers: number): boolean =>
  length > callers * (rounds - 1);

/** Wait between the response to the previous attempt and this one, in milliseconds. */
function waitBefore(attempts: readonly JudgedRequest[], index: number): number {
  const [previousRequest, request] = [attempts[index - 1], attempts[index]];
  return previousRequest === undefined || request === undefined ? 0 : waitedMs(previousRequest, request);
}

/** Whether a client waited between attempts, instead of sending each at once. */
export const hasWaits = (attempts: readonly JudgedRequest[]): boolean =>
  attempts.some((_, index) => waitBefore(attempts, index) >= noiseMs);

/**
 * Whether the waits between attempts are about the same in each call. If not, the requests were probably assigned to
 * the wrong calls.
 */
function areAlike([first = [], ...others]: readonly (readonly number[])[]): boolean {
  const isNear = (ms: number, otherMs: number) => Math.abs(ms - otherMs) <= noiseMs + otherMs * maximumApart;
  return others.every(
    (waits) =>
      waits.length > 1 && waits.every((ms, index) => index >= first.length || isNear(ms, first[index] as number)),
  );
}

function restartsWaits(waits: readonly number[], waitMs: number, maximumCalls: number | undefined): boolean {
  const [firstMs = 0, lastMs = 0] = [waits[0], waits.at(-1)];
  // Requires waits that grew between the attempts. A client that retries without waits can also have a single long
  // wait.
  const hasGrown = firstMs >= noiseMs && lastMs >= firstMs * minimumGrowth && lastMs >= firstMs + 2 * noiseMs;
  // If the number of calls is unknown, a wait above half of the first wait does not start a new call. An outer retry
  // loop of the same call may begin again with the first wait.
  const maximumMs = maximumCalls === undefined ? firstMs / 2 : firstMs + noiseMs;
  return hasGrown && waitMs <= maximumMs;
}

/** Whether the client changes its connection for good at the request with index `at`, which is a sign of a new call. */
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
