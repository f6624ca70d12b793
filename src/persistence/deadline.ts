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

/** Whether no client waits for the command's result, so that a late command still applies. */
export const hasNoWaiter = (kind: Command['kind']): boolean => withoutWaiter.has(kind);

/** Result of a command that reached the log after its client's timeout. */
export const tooLate = (): { readonly error: LogUnavailableError } => ({
  error: new LogUnavailableError('The command reached the log after its deadline, so nothing was done.'),
});
