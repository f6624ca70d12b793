import type { SimulatorCore } from '../simulator/simulator.js';

/**
 * Marks the waiting responses as abandoned and ends the running routes after a restart, because their clients have
 * disconnected. A clock with its own speed excludes the time in which the server was down.
 */
export function afterRestart({ state, waiting }: SimulatorCore, downMs: number): void {
  const { clock, delayed, running, journal, resolved } = state;
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += downMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of running.keys()) waiting.abandonRoute(id);
  for (const id of [...journal.held.keys()]) journal.complete(id, { isAbandoned: true });
}
