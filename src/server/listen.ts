import { loadPetstore } from '../petstore/load-petstore.js';
import { checkSimulator, type Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { memoryEngine, serveState } from './serve-state.js';
import { type ListenOptions, listenOptions, type RunningServer } from './server.js';

/**
 * Serves a simulator over HTTP.
 * @throws {Error} with the system's `code` (`EADDRINUSE`) for an address in use; {RangeError} for a host that is not
 * loopback without `controlToken`, for a token that no header can contain, and for an invalid origin; {TypeError} for
 * an unknown option
 * @example const server = await listen(createSimulator(), { port: 0 });
 */
export async function listen(sim: Simulator, options: ListenOptions = {}): Promise<RunningServer> {
  checkSimulator('listen', sim);
  checkOptions('listen', options, listenOptions);
  const { port, baseUrl, controlUrl, sandboxes, close } = await serveState(
    memoryEngine(sim, loadPetstore, options),
    options,
  );
  return { port, baseUrl, controlUrl, sandboxes, close };
}
