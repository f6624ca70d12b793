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
 * Whether no client waits for log commands of this kind, such as records of sent responses. These commands are applied
 * even if they reach the log after their deadline.
 */
export const ignoresDeadline = (kind: Command['kind']): boolean => withoutWaiter.has(kind);

/** Creates the result of a command that was not executed, because it reached the log after its deadline. */
export const deadlineExceeded = (): { readonly error: LogUnavailableError } => ({
  error: new LogUnavailableError('The command reached the log after its deadline, so nothing was done.'),
});
