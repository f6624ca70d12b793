import type { SimulatedClock } from '../clock/simulated-clock.js';
import { retryAfterHeader } from '../rate-limits/header-names.js';
import type { Answer } from '../requests/api-call.js';
import { maskedKey } from '../values/mask-key.js';

/** How much earlier than it was told a client may come back, in milliseconds: what the judge allows as well. */
const toleranceMs = 50;

/** More keys than this are not remembered. */
const mostKeys = 1_000;

/** A refusal of a key while the clock stood still. */
interface Refusal {
  frozenForMs: number;
  waitMs: number;
}

/**
 * Explains, once, why a test hangs: time passes for the client, by a real or a fake timer, but the clock of the simulator
 * is frozen. Then a delayed answer never comes, and a client that waits as it was told is refused for ever.
 * @returns looks at each answer under a frozen clock
 */
export function createFrozenClockNotice(
  clock: SimulatedClock,
  warn: (message: string) => void,
): (answer: Answer) => void {
  const refusals = new Map<string, Refusal>();
  let isTold = false;
  const tell = (what: string, waitMs: number) => {
    if (isTold) return;
    isTold = true;
    clock.onStandstill = undefined;
    warn(
      `petstore-sim: ${what}, because the clock of the simulator is frozen. It moves by sim.clock.advance('${waitMs}ms'), over ` +
        "HTTP by POST /__sim/clock. For a client that waits by itself let it run: leave out mode: 'frozen' in the scenario's " +
        'clock, or call sim.clock.resume(). A running clock follows the fake timers of a test.',
    );
  };
  clock.onStandstill = (waitMs) => tell(`an answer that is delayed by ${waitMs} ms does not come`, waitMs);
  return ({ status, key, headers }) => {
    if (isTold || status < 400 || key === undefined) return;
    const waitMs = Number(headers[retryAfterHeader]) * 1000;
    if (!(waitMs > 0)) return;
    const next: Refusal = { frozenForMs: clock.frozenForMs, waitMs };
    const last = refusals.get(key);
    if (last !== undefined && next.frozenForMs - last.frozenForMs >= last.waitMs - toleranceMs) {
      tell(
        `the key ${maskedKey(key)} was refused again after it had waited ${last.waitMs / 1000} s as Retry-After says`,
        last.waitMs,
      );
    }
    if (refusals.size >= mostKeys) refusals.clear();
    refusals.set(key, next);
  };
}
