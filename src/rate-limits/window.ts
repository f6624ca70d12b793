import type { LimitSettings } from './settings.js';

/** No window is running; the next counted request starts one. */
const notStarted = -1;

/** How much of one limit a key has used, as plain data. All instants are whole Unix seconds. */
export interface Window {
  readonly limit: number;
  readonly lengthSeconds: number;
  /** When the running window started (`token-bucket`: when it was last filled), or -1. */
  startSeconds: number;
  /** Requests counted (`token-bucket`: what is missing from the bucket, in tokens times `lengthSeconds`). */
  used: number;
  /** `sliding-log` only: each second and its requests, oldest first. */
  log: [second: number, requests: number][];
  /** Where the part of the log begins that still counts. Moving it is cheaper than removing each second at once. */
  logStart: number;
  /** How many more requests will be served before `resetAtSeconds`; brought up to date by `refresh` and `count`. */
  remaining: number;
  /** When `remaining` rises next; brought up to date by `refresh` and `count`. */
  resetAtSeconds: number;
}

/** One way to count requests. */
export interface Algorithm {
  /** Removes what has run out and brings `remaining` and `resetAtSeconds` up to date. Counts nothing. */
  refresh(window: Window, nowSeconds: number): void;
  /** Counts requests, served or not. @param requests default 1 */
  count(window: Window, nowSeconds: number, requests?: number): void;
  /** Sets the requests used, in a window that starts at the given second. */
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

/** The algorithm that the assumptions `algorithm` and `windowStart` name. */
export function windowAlgorithm({
  algorithm,
  windowStart,
}: Pick<LimitSettings, 'algorithm' | 'windowStart'>): Algorithm {
  if (algorithm === 'sliding-log') return slidingLog;
  if (algorithm === 'token-bucket') return tokenBucket;
  return windowStart === 'clock' ? clockWindow : firstRequestWindow;
}

/** A window of fixed length that starts at the first request of the key, or at a multiple of its length. */
function fixedWindow(startFor: (window: Window, nowSeconds: number) => number): Algorithm {
  const algorithm: Algorithm = {
    refresh(window, nowSeconds) {
      const { startSeconds, lengthSeconds } = window;
      // The clock may have been set back to before the window.
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

/** A log of the last `lengthSeconds`. It resets when the oldest request that keeps it full leaves it. */
const slidingLog: Algorithm = {
  refresh(window, nowSeconds) {
    const { lengthSeconds, limit, log } = window;
    for (; (log[window.logStart]?.[0] ?? nowSeconds) + lengthSeconds <= nowSeconds; window.logStart++) {
      window.used -= log[window.logStart]?.[1] as number;
    }
    // The clock may have been set back: what is in the future now does not count.
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

/** The second of the n-th oldest request that still counts. */
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
 * A bucket of `limit` tokens that fills evenly over `lengthSeconds`, once a second. It resets when the next whole token
 * is there. Amounts are in units of 1/lengthSeconds of a token, so that all of them are whole numbers.
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
