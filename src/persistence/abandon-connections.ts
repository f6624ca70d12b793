import type { Delivery } from '../requests/request-record.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { isConnectionOf, type Replica } from './replicas.js';

/** Delivery of a response whose server stopped before it sent the response. */
export const notSent: Partial<Delivery> = { isAbandoned: true, wire: { kind: 'close' } };

/**
 * Abandons the unfinished requests to a replica after the replica has stopped. The replica's clients have lost their
 * connections, so no response can reach them.
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
    if (isConnectionOf(replica, connection)) state.journal.complete(id, notSent);
  }
}
