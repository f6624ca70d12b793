import type { Simulator } from '../../src/entries/index.js';
import { type ListenOptions, listen, type RunningServer } from '../../src/entries/node.js';
import { atEnd } from './at-end.js';

/** Serves a simulator on a free port until the end of the test or, outside of a test, of the file. */
export async function openServer(sim: Simulator, options: ListenOptions = {}): Promise<RunningServer> {
  const server = await listen(sim, { port: 0, ...options });
  atEnd(() => server.close({ graceMs: 0 }));
  return server;
}
