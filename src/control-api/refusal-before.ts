import { earliestRetryMs } from '../judge/promises.js';
import type { RequestRecord } from '../requests/request-record.js';

export interface RefusalBefore {
  /** Id of the request that received the 429. */
  id: number;
  /** Wait that the 429 asked for. Absent if no readable header asked for a wait. */
  waitMs?: number;
  /** Actual wait of the client between the 429 and its next request. */
  waitedMs: number;
}

/** Whether the refusal of a request binds another one. The refusal of a dearer request may leave enough for the other. */
export const binds = (refused: Pick<RequestRecord, 'refusal' | 'cost'>, { cost = 1 }: Pick<RequestRecord, 'cost'>) =>
  refused.refusal !== 'limit' || (refused.cost ?? 1) <= cost;

/**
 * Computes the wait between a key's previous 429 and a request; `undefined` if the two overlapped, or the 429 does not
 * bind the request.
 */
export function refusalBefore(previousRecord: RequestRecord, request: RequestRecord): RefusalBefore | undefined {
  const { id, arrivedAtMs } = request;
  const waitedMs = arrivedAtMs - previousRecord.answeredAtMs;
  if (id <= previousRecord.lastArrivedId || waitedMs < 0 || !binds(previousRecord, request)) return undefined;
  const toldMs = earliestRetryMs(previousRecord);
  return {
    id: previousRecord.id,
    ...(toldMs !== undefined && { waitMs: Math.max(0, toldMs - previousRecord.answeredAtMs) }),
    waitedMs,
  };
}

/**
 * Whether a journal record starts or ends the wait after a 429 of its API key. A 429 with a retry time starts the wait.
 * Any other request with a valid API key ends the wait.
 */
export const isAboutLimits = ({ promisedAtMs, refusal, plan }: RequestRecord): boolean =>
  (promisedAtMs !== undefined && refusal !== undefined) || plan !== undefined;
