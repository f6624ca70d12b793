interface Timed {
  readonly arrivedAtMs: number;
  readonly answeredAtMs: number;
  readonly dateMs: number | undefined;
}

/** A `Date` is cut to whole seconds. */
const secondMs = 1_000;

/**
 * How far the clock of the service was ahead of the machine that recorded, as the `Date` of the answers tell: each was
 * written between the sending of its request and the arrival of its answer. 0 where that explains all of them; else, of
 * what explains most, the one that makes waits for X-RateLimit-Reset seem longest, so that nobody is accused for a rounding.
 */
export function clockOffsetMs(exchanges: Iterable<Timed>): number {
  let least = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  const middles: number[] = [];
  for (const { arrivedAtMs, answeredAtMs, dateMs } of exchanges) {
    if (dateMs === undefined || !Number.isFinite(arrivedAtMs)) continue;
    const low = dateMs - answeredAtMs;
    const high = dateMs + secondMs - arrivedAtMs;
    least = Math.max(least, low);
    most = Math.min(most, high);
    middles.push((low + high) / 2);
  }
  if (middles.length === 0 || (least <= 0 && most >= 0)) return 0;
  if (least <= most) return Math.floor(most);
  // The clocks drifted, or one was set: what most answers say.
  const middle = middles.sort((a, b) => a - b)[Math.floor(middles.length / 2)] as number;
  return Math.abs(middle) <= secondMs ? 0 : Math.round(middle + secondMs / 2);
}
