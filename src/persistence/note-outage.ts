import type { Outage } from '../journal/outage.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { OutageCommand } from './command.js';

/** More of them are not kept. */
const mostOutages = 100;

/** Notes in the journal that requests were refused which it does not show, in the time of its own clock. */
export function noteOutage(sim: Simulator | undefined, command: OutageCommand, nowMs: number): void {
  if (sim === undefined) return;
  const { journal } = coreOf(sim).state;
  journal.outages = [...journal.outages.slice(1 - mostOutages), byItsClock(sim, command, nowMs)];
}

/** A time between two machine instants, in the time of a simulator's own clock. @param nowMs the machine instant */
export function byItsClock(sim: Simulator, { fromMs, toMs, refused }: Outage, nowMs: number): Outage {
  const { clock, resolved } = coreOf(sim).state;
  const speed = clock.frozen ? 0 : (resolved.clock.speed ?? 1);
  const at = (ms: number) => clock.now() - Math.round((nowMs - ms) * speed);
  return { fromMs: at(fromMs), toMs: at(toMs), refused };
}
