import type { SimulatedClock } from '../clock/simulated-clock.js';
import { retryAfterHeader } from '../rate-limits/header-names.js';
import type { Answer } from '../requests/api-call.js';
import { maskedKey } from '../values/mask-key.js';

/** Tolerance for a retry that comes before the end of Retry-After. Equal to the judge's tolerance. */
const toleranceMs = 50;

/** Maximum number of API keys whose last refusal is remembered. */
const maximumKeys = 1_000;

/**
 * Last refused request of an API key while the simulator's clock is frozen. If the client waits as long as required and
 * is refused again, the simulator warns, because a frozen clock never ends a rate limit.
 */
interface Refusal {
  /** Real time from the freeze or last move of the simulator's clock to the API key's last refusal. */
  frozenForMs: number;
  /** Wait that the refusal's Retry-After header asked for. */
  waitMs: number;
}

/**
 * Detects that a test hangs because the simulator's clock is frozen while the client's timers run, and warns once.
 * Delayed responses then never arrive, and clients that obey Retry-After are refused forever.
 * @returns function to call with each response while the clock is frozen
 */
export function createFrozenClockNotice(
  clock: SimulatedClock,
  warn: (message: string) => void,
): (answer: Answer) => void {
  const refusals = new Map<string, Refusal>();
  let hasWarned = false;
  const warnOnce = (problem: string, waitMs: number) => {
    if (hasWarned) return;
    hasWarned = true;
    clock.onStandstill = undefined;
    warn(
      `petstore-sim: ${problem}, because the simulator's clock is frozen. To advance it, call sim.clock.advance('${waitMs}ms') ` +
        'or send POST /__sim/clock. If the client itself waits, use a running clock, which follows the fake timers of a ' +
        "test: remove mode: 'frozen' from the scenario's clock, or call sim.clock.resume().",
    );
  };
  clock.onStandstill = (waitMs) => warnOnce(`a response with a delay of ${waitMs} ms is never sent`, waitMs);
  return ({ status, key, headers }) => {
    if (hasWarned || status < 400 || key === undefined) return;
    const waitMs = Number(headers[retryAfterHeader]) * 1000;
    if (!(waitMs > 0)) return;
    const next: Refusal = { frozenForMs: clock.frozenForMs, waitMs };
    const last = refusals.get(key);
    if (last !== undefined && next.frozenForMs - last.frozenForMs >= last.waitMs - toleranceMs) {
      warnOnce(
        `the key ${maskedKey(key)} was refused again after a wait of ${last.waitMs / 1000} s, as Retry-After required`,
        last.waitMs,
      );
    }
    if (refusals.size >= maximumKeys) refusals.clear();
    refusals.set(key, next);
  };
}
