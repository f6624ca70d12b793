import type { Command } from './command.js';

/**
 * Number of requests in an entry, by sandbox. All of them arrived before the first response, so none is a reaction to
 * another response.
 */
export function countRequests(commands: readonly Command[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const command of commands) {
    if (command.kind !== 'request') continue;
    const { sandbox = '' } = command;
    counts.set(sandbox, (counts.get(sandbox) ?? 0) + 1);
  }
  return counts;
}

/** Counts one request as handled. @returns the number of requests after it */
export function countDown(counts: Map<string, number>, sandbox = ''): number {
  const left = (counts.get(sandbox) ?? 1) - 1;
  counts.set(sandbox, left);
  return left;
}
