import { LogUnavailableError } from '../persistence/log.js';
import type { SequencerHost } from '../persistence/sequencer.js';

/** Node's timers, for a sequencer. */
export const sequencerHost: SequencerHost = {
  defer: setImmediate,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  onError: (error) => console.error(error instanceof LogUnavailableError ? `petstore-sim: ${error.message}` : error),
};
