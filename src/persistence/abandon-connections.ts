import { coreOf, type Simulator } from '../simulator/simulator.js';
import { isConnectionOf, type Replica } from './replicas.js';

/**
 * Ends the waiting responses and custom routes of a replica that has left the log, because its clients have
 * disconnected.
 */
export function abandonConnections(sim: Simulator, replica: Replica): void {
  const { waiting, state } = coreOf(sim);
  for (const { exchange } of [...state.delayed]) {
    if (isConnectionOf(replica, exchange.call.connection)) waiting.leave(exchange.id);
  }
  for (const { exchange } of [...state.running.values()]) {
    if (isConnectionOf(replica, exchange.call.connection)) waiting.abandonRoute(exchange.id);
  }
  for (const [id, { connection }] of [...state.journal.held]) {
    if (isConnectionOf(replica, connection)) state.journal.complete(id, { isAbandoned: true });
  }
}
