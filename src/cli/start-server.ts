import type { ListenOptions, RunningServer } from '../node/http/server.js';
import { UsageError } from '../node/usage-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';

/** What is served, and how another scenario is loaded into it. */
export interface Served {
  sim: Simulator;
  server: Pick<RunningServer, 'baseUrl' | 'controlUrl' | 'close'>;
  load: (scenario: Scenario, options: { reseed: boolean }) => void | Promise<void>;
  /** The folder whose state it goes on with. */
  resumedFrom?: string | undefined;
}

/** @throws {UsageError} for an address that cannot be had */
export async function startServer<Server>(
  start: () => Promise<Server>,
  { port, host = 'localhost' }: ListenOptions,
): Promise<Server> {
  try {
    return await start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${port} is taken; stop what listens there, or pass --port 0 for a free one`);
    if (code === 'EACCES') throw new UsageError(`port ${port} needs more rights; pass --port with a number above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new UsageError(`expected --host to be an address of this machine, got ${host}`);
    if (error instanceof RangeError) throw new UsageError(message);
    throw error;
  }
}
