import { createLoggedBackend } from '../log/logged-backend.js';
import { Sequencer } from '../log/sequencer.js';
import type { StateMachine } from '../log/state-machine.js';
import { createUnkeptLog } from '../log/unkept-log.js';
import { listenTo } from '../node/http/server.js';
import { sequencerHost } from '../node/sequencer-host.js';
import { type ListenFlags, readListenFlags, stopOnSignal } from './listen-flags.js';
import { listeningLines } from './listening-lines.js';
import { startServer } from './start-server.js';

/** Serves a simulator from where a replay left it, until SIGINT or SIGTERM. Nothing is written down. */
export async function serveReplayed(machine: StateMachine, position: number, flags: ListenFlags): Promise<void> {
  const { log: format, options, writeLine } = readListenFlags(flags);
  const log = createUnkeptLog({ writer: 'replay' });
  const sequencer = new Sequencer(machine, log, sequencerHost);
  await new Promise((resolve) => sequencer.submit({ kind: 'started' }, resolve));
  const health = () => ({ position: position + log.position, snapshotPosition: 0, notices: [] });
  const backend = createLoggedBackend(machine, sequencer, health);
  const server = await startServer(() => listenTo(backend, options), options);
  stopOnSignal(server);
  for (const line of listeningLines(format, machine.sim, server, flags['control-token'] !== undefined)) writeLine(line);
}
