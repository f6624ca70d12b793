/** Minimum growth factor between waits of an exponential backoff. */
export const leastGrowth = 1.5;
/** Number of growing waits after which a client's own maximum may apply. */
const mostSteps = 3;
/** Added to every wait, in milliseconds, so that growth from a zero wait can be measured. */
const baseMs = 100;
/** Maximum latency, and maximum random difference between waits on timers, in milliseconds. */
const noiseMs = 40;
/** Maximum distance of a wait from the fitted curve, in milliseconds and as a share of the total rise. */
const mostOffMs = 25;
const mostOffShare = 0.05;
/** Growth factors of the curves to fit. */
const factors = [leastGrowth, 1.75, 2, 2.5, 3, 4];

/** Mean growth factor between waits, up to the longest wait. */
export function growthOf(waits: readonly number[]): number {
  const total = (Math.max(...waits) + baseMs) / ((waits[0] ?? 0) + baseMs);
  return total ** (1 / Math.min(waits.length - 1, mostSteps));
}

/** Whether the waits grow exponentially up to a maximum. Allows a constant offset and random steps. */
export function isExponential(waits: readonly number[]): boolean {
  if (growthOf(waits) >= leastGrowth || risesAtRandom(waits)) return true;
  const longest = Math.max(...waits);
  const atBound = waits.findIndex((ms) => ms >= longest - noiseMs);
  if (waits.slice(atBound).some((ms) => ms < longest - noiseMs)) return false;
  const rising = waits.slice(0, atBound + 1);
  const riseMs = longest - (waits[0] ?? 0);
  // Two waits fit every curve, so one step beyond the noise counts as growth.
  if (rising.length === 2) return riseMs > noiseMs;
  return risesFromFloor(rising) || (riseMs >= 2 * noiseMs && factors.some((factor) => fits(rising, factor)));
}

/**
 * Whether equal first waits are followed by exponential growth. A client's minimum wait can hide the first steps of its
 * backoff.
 */
function risesFromFloor(waits: readonly number[]): boolean {
  const [first = 0] = waits;
  const rise = waits.findIndex((ms) => Math.abs(ms - first) > noiseMs);
  return (
    rise > 0 && waits.slice(rise).every((ms, at) => ms + baseMs >= leastGrowth * ((waits[rise + at - 1] ?? 0) + baseMs))
  );
}

/** Whether every wait is longer than the previous, the last at least twice the first, in unequal steps. */
function risesAtRandom(waits: readonly number[]): boolean {
  const steps = waits.slice(1).map((ms, at) => ms - (waits[at] as number));
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  return least > noiseMs && most - least > 2 * noiseMs && (waits.at(-1) ?? 0) >= 2 * (waits[0] ?? 0);
}

/** Whether `constant + step * factor ** n` fits the waits, by least squares. */
function fits(waits: readonly number[], factor: number): boolean {
  const powers = waits.map((_, at) => factor ** at);
  const [meanPower, meanMs] = [mean(powers), mean(waits)];
  let [shared, squares] = [0, 0];
  for (const [at, power] of powers.entries()) {
    shared += (power - meanPower) * ((waits[at] as number) - meanMs);
    squares += (power - meanPower) ** 2;
  }
  const stepMs = shared / squares;
  const constantMs = meanMs - stepMs * meanPower;
  const mostOff = Math.max(mostOffMs, mostOffShare * Math.abs((waits.at(-1) ?? 0) - (waits[0] ?? 0)));
  return (
    stepMs > 0 &&
    constantMs > -noiseMs &&
    waits.every((ms, at) => Math.abs(ms - constantMs - stepMs * (powers[at] as number)) <= mostOff)
  );
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
