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

/** Whether a command has no waiting client, and so no deadline. */
export const hasNoWaiter = (kind: Command['kind']): boolean => withoutWaiter.has(kind);

/** Result of a command that arrived after its deadline. */
export const tooLate = (): { readonly error: LogUnavailableError } => ({
  error: new LogUnavailableError('The command reached the log after its deadline, so nothing was done.'),
});
