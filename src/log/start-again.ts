import type { SimulatorState } from '../simulator/simulator-state.js';

/** The process is another one: its clients have gone, and a clock that does not run as the machine does has not run. */
export function startAgain({ clock, delayed, journal, resolved }: SimulatorState, awayMs: number): void {
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += awayMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of [...journal.held.keys()]) journal.complete(id, { isAbandoned: true });
}
