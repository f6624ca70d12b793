import type { Command } from './command.js';
import { LogUnavailableError } from './log.js';

const kindsWithoutClient: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
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
 * Whether a client waits for the result of a command of this kind. The server applies a command without a waiting
 * client even after its deadline.
 */
export const hasWaitingClient = (kind: Command['kind']): boolean => !kindsWithoutClient.has(kind);

/**
 * Creates the error result of a command that was skipped. The command was appended to the log after its deadline, so
 * its client has already received an error.
 */
export const deadlineExceeded = (): { readonly error: LogUnavailableError } => ({
  error: new LogUnavailableError('The command reached the log after its deadline, so nothing was done.'),
});
