import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { StoreAwayCommand } from './command.js';

/** More of them are not kept. */
const mostOutages = 100;

/** Notes in the journal that requests were refused which it does not show, in the time of its own clock. */
export function noteOutage(
  sim: Simulator | undefined,
  { fromMs, toMs, refused }: StoreAwayCommand,
  nowMs: number,
): void {
  if (sim === undefined) return;
  const { journal, clock, resolved } = coreOf(sim).state;
  const speed = clock.frozen ? 0 : (resolved.clock.speed ?? 1);
  const at = (ms: number) => clock.now() - Math.round((nowMs - ms) * speed);
  journal.outages = [...journal.outages.slice(1 - mostOutages), { fromMs: at(fromMs), toMs: at(toMs), refused }];
}
