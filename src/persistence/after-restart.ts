import type { SimulatorCore } from '../simulator/simulator.js';
import { notSent } from './abandon-connections.js';

/**
 * Marks a simulator's unfinished requests as abandoned after a server restart, because their clients have disconnected.
 * The simulated clock counts the downtime at speed 1, but not at any other speed.
 */
export function afterRestart({ state, waiting }: SimulatorCore, downMs: number): void {
  const { clock, delayed, running, journal, resolved } = state;
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += downMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of running.keys()) waiting.abandonRoute(id);
  for (const id of [...journal.held.keys()]) journal.complete(id, notSent);
}
