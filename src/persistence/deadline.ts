import type { Command } from './command.js';
import { LogUnavailableError } from './log.js';

const withoutWaiter: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
  'sent',
  'left',
  'routeEnded',
  'tick',
  'join',
  'beat',
  'part',
  'storeAway',
]);

/**
 * Whether commands of this kind, such as notes of sent responses, have no client that waits for the result. The server
 * applies these commands even if they reach its log after the deadline, when clients would no longer wait.
 */
export const ignoresDeadline = (kind: Command['kind']): boolean => withoutWaiter.has(kind);

/**
 * Creates the error result of a command that was skipped. The command was appended to the log after its deadline, so
 * its client has already received an error.
 */
export const deadlineExceeded = (): { readonly error: LogUnavailableError } => ({
  error: new LogUnavailableError('The command reached the log after its deadline, so nothing was done.'),
});
