import { LogUnavailableError } from '../persistence/log.js';
import type { SequencerHost } from '../persistence/sequencer.js';

/** Timers and error output of Node for the sequencer, which orders the commands of a log. */
export const sequencerHost: SequencerHost = {
  defer: setImmediate,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  onError: (error) => console.error(error instanceof LogUnavailableError ? `petstore-sim: ${error.message}` : error),
};
