import type { Outage } from '../journal/outage.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { OutageCommand } from './command.js';

/** Maximum number of outages in a journal. The oldest are dropped first. */
const maximumOutages = 100;

/**
 * Adds a period to the journal in which the server could not reach Redis, with the number of requests that the server
 * rejected meanwhile. The journal does not contain these requests.
 */
export function noteOutage(sim: Simulator | undefined, command: OutageCommand, nowMs: number): void {
  if (sim === undefined) return;
  const { journal } = coreOf(sim).state;
  journal.outages = [...journal.outages.slice(1 - maximumOutages), inSimulatedTime(sim, command, nowMs)];
}

/**
 * Converts the times of an outage from machine time to simulated time.
 * @param nowMs current machine time
 */
export function inSimulatedTime(sim: Simulator, { fromMs, toMs, refused }: Outage, nowMs: number): Outage {
  const { clock, resolved } = coreOf(sim).state;
  const speed = clock.frozen ? 0 : (resolved.clock.speed ?? 1);
  const at = (ms: number) => clock.now() - Math.round((nowMs - ms) * speed);
  return { fromMs: at(fromMs), toMs: at(toMs), refused };
}
