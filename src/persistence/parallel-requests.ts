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
 * Subtracts one request, which was handled, from the remaining requests of its log entry.
 * @returns the number of requests that remain in the sandbox
 */
export function subtractRequest(counts: Map<string, number>, sandbox = ''): number {
  const left = (counts.get(sandbox) ?? 1) - 1;
  counts.set(sandbox, left);
  return left;
}
