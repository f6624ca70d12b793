/** Minimum growth factor between consecutive waits of an exponential backoff. */
export const minimumGrowth = 1.5;
/**
 * Maximum number of successive retry waits over which their growth is averaged. The client's maximum wait may limit
 * later waits.
 */
const maximumSteps = 3;
/** Time added to every wait, so that growth can be computed for a wait of zero. */
const baseMs = 100;
/** Maximum random difference between equal waits, due to latency and timers. */
const noiseMs = 40;
/**
 * Deviation of a measured wait from the fitted backoff curve that is always accepted. For long waits,
 * `maximumDeviationShare` allows more.
 */
const maximumDeviationMs = 25;
/** Maximum deviation of a wait from the fitted curve, divided by the last wait minus the first. */
const maximumDeviationShare = 0.05;
/** Growth factors of the exponential curves that are tried against the waits between a client's attempts. */
const factors = [minimumGrowth, 1.75, 2, 2.5, 3, 4];

/**
 * Computes the mean growth factor of a client's consecutive waits between attempts, from the first wait to the longest.
 */
export function growthOf(waits: readonly number[]): number {
  const total = (Math.max(...waits) + baseMs) / ((waits[0] ?? 0) + baseMs);
  return total ** (1 / Math.min(waits.length - 1, maximumSteps));
}

/** Whether a client's waits between retries grow exponentially, even with jitter, a constant part or a maximum wait. */
export function isExponential(waits: readonly number[]): boolean {
  if (growthOf(waits) >= minimumGrowth || growsUnevenly(waits)) return true;
  const longest = Math.max(...waits);
  const atBound = waits.findIndex((ms) => ms >= longest - noiseMs);
  if (waits.slice(atBound).some((ms) => ms < longest - noiseMs)) return false;
  const rising = waits.slice(0, atBound + 1);
  const riseMs = longest - (waits[0] ?? 0);
  // Two waits between attempts cannot distinguish exponential from linear growth. Any growth above the random variation
  // (`noiseMs`) therefore counts as exponential.
  if (rising.length === 2) return riseMs > noiseMs;
  return risesFromFloor(rising) || (riseMs >= 2 * noiseMs && factors.some((factor) => fits(rising, factor)));
}

/**
 * Whether the waits between retries are equal at first and then grow exponentially. A client with a minimum wait
 * behaves so, because the minimum replaces the shorter first waits of its backoff.
 */
function risesFromFloor(waits: readonly number[]): boolean {
  const [first = 0] = waits;
  const rise = waits.findIndex((ms) => Math.abs(ms - first) > noiseMs);
  return (
    rise > 0 &&
    waits.slice(rise).every((ms, index) => ms + baseMs >= minimumGrowth * ((waits[rise + index - 1] ?? 0) + baseMs))
  );
}

/** Whether a client's waits between retries grow irregularly, as in an exponential backoff with random jitter. */
function growsUnevenly(waits: readonly number[]): boolean {
  const steps = waits.slice(1).map((ms, index) => ms - (waits[index] as number));
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  return least > noiseMs && most - least > 2 * noiseMs && (waits.at(-1) ?? 0) >= 2 * (waits[0] ?? 0);
}

/**
 * Whether a client's successive waits fit the formula `constant + step * factor ** n` within a tolerance. Determines
 * `constant` and `step` by least squares.
 */
function fits(waits: readonly number[], factor: number): boolean {
  const powers = waits.map((_, index) => factor ** index);
  const [meanPower, meanMs] = [mean(powers), mean(waits)];
  let [shared, squares] = [0, 0];
  for (const [index, power] of powers.entries()) {
    shared += (power - meanPower) * ((waits[index] as number) - meanMs);
    squares += (power - meanPower) ** 2;
  }
  const stepMs = shared / squares;
  const constantMs = meanMs - stepMs * meanPower;
  const maximumDeviation = Math.max(
    maximumDeviationMs,
    maximumDeviationShare * Math.abs((waits.at(-1) ?? 0) - (waits[0] ?? 0)),
  );
  return (
    stepMs > 0 &&
    constantMs > -noiseMs &&
    waits.every((ms, index) => Math.abs(ms - constantMs - stepMs * (powers[index] as number)) <= maximumDeviation)
  );
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
