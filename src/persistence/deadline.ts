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

/** Whether no client waits for a command of this kind. Such a command applies even after its deadline. */
export const ignoresDeadline = (kind: Command['kind']): boolean => withoutWaiter.has(kind);

/** Result of a command that reached the log after its client's timeout. */
export const deadlineExceeded = (): { readonly error: LogUnavailableError } => ({
  error: new LogUnavailableError('The command reached the log after its deadline, so nothing was done.'),
});
