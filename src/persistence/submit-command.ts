import type { Command } from './command.js';
import type { Sequencer } from './sequencer.js';

/**
 * Appends a command to the log and applies it.
 * @throws the error of the command; {LogUnavailableError} if the log did not store the command
 */
export const submitCommand = (sequencer: Sequencer, command: Command): Promise<void> =>
  new Promise((resolve, reject) => {
    sequencer.submit(command, (commandResult) => ('error' in commandResult ? reject(commandResult.error) : resolve()));
  });
