import type { SimulatorState } from '../simulator/simulator-state.js';

/** Abandons held responses after a restart. A clock with its own speed did not advance while the process was down. */
export function afterRestart({ clock, delayed, journal, resolved }: SimulatorState, downMs: number): void {
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += downMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of [...journal.held.keys()]) journal.complete(id, { isAbandoned: true });
}
