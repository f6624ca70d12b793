import { LogUnavailableError } from '../log.js';
import type { SequencerHost } from '../sequencer.js';

/**
 * Timers and error output of Node.js for the sequencer, which appends the server's requests and changes to the log in
 * one order.
 */
export const sequencerHost: SequencerHost = {
  defer: setImmediate,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  onError: (error) => console.error(error instanceof LogUnavailableError ? `petstore-sim: ${error.message}` : error),
};
