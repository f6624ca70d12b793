import type { LimitSettings } from './settings.js';

/** Start time of a window that is not running. The next counted request starts the window. */
const notStarted = -1;

/** Usage of one limit by one key, as plain data. Times are Unix seconds. */
export interface Window {
  readonly limit: number;
  readonly lengthSeconds: number;
  /** Start of the running window (`token-bucket`: last refill), or -1. */
  startSeconds: number;
  /** Counted requests (`token-bucket`: missing tokens, multiplied by `lengthSeconds`). */
  used: number;
  /** `sliding-log` only: requests per second, oldest first. */
  log: [second: number, requests: number][];
  /** Index of the oldest log item still inside the window. Cheaper than removing expired items at once. */
  logStart: number;
  /** Remaining requests before `resetAtSeconds`. Updated by `refresh` and `count`. */
  remaining: number;
  /** Next time at which `remaining` increases, in Unix seconds. Updated by `refresh` and `count`. */
  resetAtSeconds: number;
}

/** A rate-limiting algorithm. */
export interface Algorithm {
  /** Drops expired requests and updates `remaining` and `resetAtSeconds`. Does not count a request. */
  refresh(window: Window, nowSeconds: number): void;
  /** Counts requests, accepted or refused. @param requests default 1 */
  count(window: Window, nowSeconds: number, requests?: number): void;
  /** Sets the used requests, in a window that starts at `startSeconds`. */
  preset(window: Window, requests: number, startSeconds: number): void;
}

export function createWindow(limit: number, lengthSeconds: number): Window {
  return {
    limit,
    lengthSeconds,
    startSeconds: notStarted,
    used: 0,
    log: [],
    logStart: 0,
    remaining: limit,
    resetAtSeconds: 0,
  };
}

/** Selects the algorithm according to the assumptions `algorithm` and `windowStart`. */
export function windowAlgorithm({
  algorithm,
  windowStart,
}: Pick<LimitSettings, 'algorithm' | 'windowStart'>): Algorithm {
  if (algorithm === 'sliding-log') return slidingLog;
  if (algorithm === 'token-bucket') return tokenBucket;
  return windowStart === 'clock' ? clockWindow : firstRequestWindow;
}

/** Fixed window, started by the key's first request or at a multiple of its length. */
function fixedWindow(startFor: (window: Window, nowSeconds: number) => number): Algorithm {
  const algorithm: Algorithm = {
    refresh(window, nowSeconds) {
      const { startSeconds, lengthSeconds } = window;
      // A clock that was set back can be before the start of the window.
      const over = nowSeconds >= startSeconds + lengthSeconds || nowSeconds < startSeconds;
      if (startSeconds !== notStarted && over) {
        window.startSeconds = notStarted;
        window.used = 0;
      }
      const start = window.startSeconds === notStarted ? startFor(window, nowSeconds) : window.startSeconds;
      window.remaining = Math.max(0, window.limit - window.used);
      window.resetAtSeconds = start + lengthSeconds;
    },
    count(window, nowSeconds, requests = 1) {
      if (window.startSeconds === notStarted) window.startSeconds = startFor(window, nowSeconds);
      window.used += requests;
      algorithm.refresh(window, nowSeconds);
    },
    preset(window, requests, startSeconds) {
      window.startSeconds = startFor(window, startSeconds);
      window.used = requests;
    },
  };
  return algorithm;
}

const firstRequestWindow = fixedWindow((_, nowSeconds) => nowSeconds);
const clockWindow = fixedWindow(({ lengthSeconds }, nowSeconds) => nowSeconds - (nowSeconds % lengthSeconds));

/**
 * Sliding log: counts the requests of the last `lengthSeconds`. Resets when enough requests expire to allow another.
 */
const slidingLog: Algorithm = {
  refresh(window, nowSeconds) {
    const { lengthSeconds, limit, log } = window;
    for (; (log[window.logStart]?.[0] ?? nowSeconds) + lengthSeconds <= nowSeconds; window.logStart++) {
      window.used -= log[window.logStart]?.[1] as number;
    }
    // If the clock was set back, requests in the future do not count.
    while (log.length > window.logStart && (log.at(-1)?.[0] as number) > nowSeconds)
      window.used -= log.pop()?.[1] as number;
    if (window.logStart * 2 > log.length) window.logStart -= log.splice(0, window.logStart).length;
    window.remaining = Math.max(0, limit - window.used);
    window.resetAtSeconds = lengthSeconds + (nthOldest(window, Math.max(1, window.used - limit + 1)) ?? nowSeconds);
  },
  count(window, nowSeconds, requests = 1) {
    const newest = window.log.at(-1);
    if (newest?.[0] === nowSeconds) newest[1] += requests;
    else window.log.push([nowSeconds, requests]);
    window.used += requests;
    slidingLog.refresh(window, nowSeconds);
  },
  preset(window, requests, startSeconds) {
    window.log = requests > 0 ? [[startSeconds, requests]] : [];
    window.logStart = 0;
    window.used = requests;
  },
};

/** Second of the n-th oldest request inside the window. */
function nthOldest({ log, logStart }: Window, n: number): number | undefined {
  let seen = 0;
  for (let at = logStart; at < log.length; at++) {
    const [second, requests] = log[at] as Window['log'][number];
    seen += requests;
    if (seen >= n) return second;
  }
  return undefined;
}

/**
 * Token bucket: refills `limit` tokens evenly over `lengthSeconds`, once per second. Resets when the next whole token
 * is available. Amounts are in units of 1/lengthSeconds token, to avoid fractions.
 */
const tokenBucket: Algorithm = {
  refresh(window, nowSeconds) {
    const { limit, lengthSeconds } = window;
    if (window.startSeconds !== notStarted) {
      const elapsedSeconds = Math.max(0, nowSeconds - window.startSeconds);
      window.used = Math.max(0, window.used - elapsedSeconds * limit);
      window.startSeconds = nowSeconds;
    }
    const filled = limit * lengthSeconds - window.used;
    window.remaining = Math.max(0, Math.floor(filled / lengthSeconds));
    const untilNextToken = (window.remaining + 1) * lengthSeconds - filled;
    window.resetAtSeconds = nowSeconds + Math.ceil(untilNextToken / limit);
  },
  count(window, nowSeconds, requests = 1) {
    window.startSeconds = nowSeconds;
    window.used += requests * window.lengthSeconds;
    tokenBucket.refresh(window, nowSeconds);
  },
  preset(window, requests, startSeconds) {
    window.startSeconds = startSeconds;
    window.used = requests * window.lengthSeconds;
  },
};
