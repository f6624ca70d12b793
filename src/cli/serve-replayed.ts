import { loggedState } from '../persistence/node/logged-state.js';
import type { StateMachine } from '../persistence/state-machine.js';
import { createTransientLog } from '../persistence/transient-log.js';
import { type ListenFlags, readListenFlags, stopOnSignal } from './listen-flags.js';
import { announce } from './listening-lines.js';
import { startServer } from './start-server.js';

/** Serves the state after a replay until SIGINT or SIGTERM. Changes are not stored on disk. */
export async function serveReplayed(machine: StateMachine, position: number, flags: ListenFlags): Promise<void> {
  const listening = readListenFlags(flags);
  const log = createTransientLog();
  const state = loggedState(machine, log, { health: () => ({ position: position + log.position }) });
  await state.run({ kind: 'started' });
  const server = await startServer({ open: async () => state }, listening);
  stopOnSignal(server);
  announce(listening, machine.sim, server);
}
