import type { Command } from './command.js';

/**
 * Counts the requests of a log entry, by sandbox. All of them arrived before the first response, so the judge can treat
 * them as parallel.
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
 * Counts one request of a log entry as handled.
 * @returns number of requests of the entry for this sandbox that are not handled yet
 */
export function subtractRequest(counts: Map<string, number>, sandbox = ''): number {
  const left = (counts.get(sandbox) ?? 1) - 1;
  counts.set(sandbox, left);
  return left;
}
