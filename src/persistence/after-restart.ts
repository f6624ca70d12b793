import type { SimulatorCore } from '../simulator/simulator.js';

/**
 * Marks delayed responses as abandoned and ends custom routes after a restart, because their clients have disconnected.
 * Excludes the downtime from a simulated clock whose speed is not 1.
 */
export function afterRestart({ state, waiting }: SimulatorCore, downMs: number): void {
  const { clock, delayed, running, journal, resolved } = state;
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += downMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of running.keys()) waiting.abandonRoute(id);
  for (const id of [...journal.held.keys()]) journal.complete(id, { isAbandoned: true });
}
