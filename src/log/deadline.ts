import type { Command } from './command.js';
import { LogUnavailableError } from './log.js';

const notes: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
  'sent',
  'left',
  'tick',
  'join',
  'beat',
  'part',
  'storeAway',
]);

/** Whether nobody waits for what such a command does, so that it never comes too late. */
export const isNote = (kind: Command['kind']): boolean => notes.has(kind);

/** What became of a command that did. */
export const tooLate = (): { readonly error: LogUnavailableError } => ({
  error: new LogUnavailableError('The command reached the log after its deadline, so that nothing was done.'),
});
