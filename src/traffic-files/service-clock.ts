interface Timed {
  readonly arrivedAtMs: number;
  readonly answeredAtMs: number;
  readonly dateMs: number | undefined;
}

/** Resolution of the `Date` header. */
const secondMs = 1_000;

/**
 * Estimates from `Date` headers how far the API server's clock is ahead of the recording machine's. Returns 0 if the
 * headers allow 0, otherwise the largest difference that they allow. A smaller difference would make retries look
 * earlier and cause false findings.
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
  // If the `Date` headers fit no single clock difference, because a clock drifted or was set, uses the median
  // difference.
  const middle = middles.sort((a, b) => a - b)[Math.floor(middles.length / 2)] as number;
  return Math.abs(middle) <= secondMs ? 0 : Math.round(middle + secondMs / 2);
}
