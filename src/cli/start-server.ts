import { type Engine, type OpenedState, type ServedState, serveState } from '../server/serve-state.js';
import type { ListenOptions } from '../server/server.js';
import { UsageError } from '../validation/usage-error.js';
import type { Listening } from './listen-flags.js';

/**
 * Starts a server: opens its simulators and log, and serves them over HTTP.
 * @throws {UsageError} for an unusable address
 */
export async function startServer<State extends OpenedState>(
  engine: Engine<State>,
  { options, addressFrom }: Pick<Listening, 'addressFrom'> & { options: ListenOptions },
): Promise<ServedState<State>> {
  const { port, host = 'localhost' } = options;
  const ofPort = addressFrom.port === undefined ? '' : ' (from the environment variable PORT)';
  const ofHost = addressFrom.host === undefined ? '' : ' (from the environment variable HOST)';
  try {
    return await serveState(engine, options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UsageError(
        `port ${port}${ofPort} is in use; stop the process that uses it, or pass --port 0 for a free port`,
      );
    if (code === 'EACCES')
      throw new UsageError(`port ${port}${ofPort} requires more privileges; pass --port with a number above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new UsageError(`expected --host to be an address of this machine, got ${host}${ofHost}`);
    if (error instanceof RangeError)
      throw new UsageError(message.replace(`listen on ${host}:`, `listen on ${host}${ofHost}:`));
    throw error;
  }
}
