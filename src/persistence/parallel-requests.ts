import type { Command } from './command.js';

/**
 * Counts the requests in one entry of the server's append-only log, per sandbox. All these requests arrived before the
 * first of them got a response, so the judge can treat them as parallel.
 */
export function countParallelRequests(commands: readonly Command[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const command of commands) {
    if (command.kind !== 'request') continue;
    const { sandbox = '' } = command;
    counts.set(sandbox, (counts.get(sandbox) ?? 0) + 1);
  }
  return counts;
}

/**
 * Subtracts one handled request from a sandbox's count of parallel requests.
 * @returns number of the parallel requests that are not handled yet
 */
export function subtractRequest(counts: Map<string, number>, sandbox = ''): number {
  const left = (counts.get(sandbox) ?? 1) - 1;
  counts.set(sandbox, left);
  return left;
}
