import type { Command } from './command.js';

/**
 * How many requests of an entry there are, by sandbox: all of them have arrived before the first is answered, so that none
 * follows from an answer to another.
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

/** Counts one request of them as handled. @returns how many are still to come */
export function takeOne(counts: Map<string, number>, sandbox = ''): number {
  const left = (counts.get(sandbox) ?? 1) - 1;
  counts.set(sandbox, left);
  return left;
}
