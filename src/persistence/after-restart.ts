import type { SimulatorCore } from '../simulator/simulator.js';

/**
 * Updates a simulator's state after a server restart. Marks unfinished requests as abandoned, because their clients
 * have disconnected. A clock with a speed other than 1 skips the downtime; a clock with speed 1 continues with real
 * time.
 */
export function afterRestart({ state, waiting }: SimulatorCore, downMs: number): void {
  const { clock, delayed, running, journal, resolved } = state;
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += downMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of running.keys()) waiting.abandonRoute(id);
  for (const id of [...journal.held.keys()]) journal.complete(id, { isAbandoned: true });
}
