import { highest, lowest } from '../values/extremes.js';

/** Minimum growth factor between consecutive waits of an exponential backoff. */
export const minimumGrowth = 1.5;
/**
 * Minimum ratio of the mean of a series' later waits to that of the earlier ones in a growing series. Loops within loops
 * reach 1.6 by chance, where the first half of the series has one short wait more.
 */
const minimumHalfGrowth = 1.75;
/**
 * Maximum number of successive retry waits over which their growth is averaged. The client's maximum wait may limit
 * later waits.
 */
const maximumSteps = 3;
/** Maximum ratio of the longest wait to the shortest for waits that count as about equal. */
const maximumApart = 3;
/** Maximum network latency that the judge subtracts from a client's measured waits. */
const maximumLatencyMs = 100;
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
/** Minimum factor by which a wait is longer than the one before, and not by chance. */
const minimumRise = 1.1;
/** Growth factors of the exponential curves that are tried against the waits between a client's attempts. */
const factors = [minimumGrowth, 1.75, 2, 2.5, 3, 4];

/**
 * Computes the mean growth factor of a client's consecutive waits between attempts, from the first wait to the longest.
 */
export function growthOf(waits: readonly number[]): number {
  const total = (highest(waits) + baseMs) / ((waits[0] ?? 0) + baseMs);
  return total ** (1 / Math.min(waits.length - 1, maximumSteps));
}

/** Whether a client's waits between retries grow exponentially, even with jitter, a constant part or a maximum wait. */
export function isExponential(waits: readonly number[]): boolean {
  if (growthOf(waits) >= minimumGrowth || growsUnevenly(waits)) return true;
  const longest = highest(waits);
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
 * Whether a client's waits between retries grow over the whole series. The waits of a retry loop within another one grow
 * and begin again.
 */
export function keepsGrowing(waits: readonly number[]): boolean {
  const [first = 0] = waits;
  const rise = waits.findIndex((ms) => ms > first + noiseMs);
  if (rise > 0 && isExponential(waits) && waits.slice(rise).every((ms) => ms > first + noiseMs)) return true;
  const middle = Math.floor(waits.length / 2);
  // Random waits fall at times, but the later ones are longer on average.
  return mean(waits.slice(middle)) + baseMs >= minimumHalfGrowth * (mean(waits.slice(0, middle)) + baseMs);
}

/**
 * Whether at least half of the steps up to the longest wait rise. One long wait after equal ones may be that of the next
 * call.
 */
export function mostlyRises(waits: readonly number[]): boolean {
  const longest = highest(waits);
  const rise = waits.slice(0, 1 + waits.findIndex((ms) => ms >= longest - noiseMs));
  const rising = rise.filter((ms, index) => index > 0 && ms > minimumRise * (rise[index - 1] as number) + noiseMs);
  return rising.length > 0 && 2 * rising.length >= rise.length - 1;
}

/** Number of waits that show whether they are periodic. */
const maximumPeriodic = 100;

/** Whether a part of the waits comes again, as the waits of a retry loop within another one do. */
export function isPeriodic(all: readonly number[]): boolean {
  const waits = all.slice(0, maximumPeriodic);
  const repeats = (period: number) =>
    waits.every((ms, index) => Math.abs(ms - (waits[index + period] ?? ms)) <= noiseMs + ms * maximumDeviationShare);
  return Array.from({ length: Math.floor((2 * waits.length) / 3) }, (_, index) => index + 1).some(repeats);
}

/**
 * Whether a client's waits between retries are about equal, within the noise of the machine. Random waits of a growing
 * backoff differ more.
 */
export function isFlat(waits: readonly number[]): boolean {
  const latencyMs = Math.min(maximumLatencyMs, lowest(waits));
  // Also compares the waits without the network latency, because latency makes growing waits look equal.
  return isAlike(waits) && isAlike(waits.map((ms) => ms - latencyMs));
}

const isAlike = (waits: readonly number[]) =>
  !isExponential(waits) && highest(waits) + baseMs <= maximumApart * (lowest(waits) + baseMs);

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
  const [least, most] = [lowest(steps), highest(steps)];
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
