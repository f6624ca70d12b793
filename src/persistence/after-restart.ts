import type { SimulatorCore } from '../simulator/simulator.js';

/**
 * Abandons a simulator's unfinished requests after a server restart. A simulated clock with a speed other than 1 does
 * not count the downtime.
 */
export function afterRestart({ state, waiting }: SimulatorCore, downMs: number): void {
  const { clock, delayed, running, journal, resolved } = state;
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += downMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of running.keys()) waiting.abandonRoute(id);
  for (const id of [...journal.held.keys()]) journal.complete(id, { isAbandoned: true });
}
