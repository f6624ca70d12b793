import type { Command } from './command.js';
import type { Sequencer } from './sequencer.js';

/** Has a command written and applied. @throws what it gave in place of a value; {LogUnavailableError} when it was not written */
export const runCommand = (sequencer: Sequencer, command: Command): Promise<void> =>
  new Promise((resolve, reject) => {
    sequencer.submit(command, (result) => ('error' in result ? reject(result.error) : resolve()));
  });
