import type { WindowName } from '../requests/request-record.js';
import type { LimitSettings } from './settings.js';

/** Value of `startSeconds` for a rate-limit window that is not running. The next counted request starts the window. */
const notStarted = -1;

/** Usage of one limit, such as that per minute, by one API key, as plain data. Times are Unix seconds. */
export interface Window {
  readonly name: WindowName;
  readonly limit: number;
  readonly lengthSeconds: number;
  /**
   * Start time of the running rate-limit window; -1 if no window is running. For a token bucket, the time of the last
   * refill.
   */
  startSeconds: number;
  /**
   * Number of requests counted in the window. For a token bucket, the missing tokens multiplied by `lengthSeconds`, so
   * that refills stay whole numbers.
   */
  used: number;
  /** Pairs of a Unix second and its number of requests, oldest first. Used only by the sliding-log algorithm. */
  log: [second: number, requests: number][];
  /**
   * Index of the oldest pair of `log` (a time and its number of requests) inside the window. Moving the index is
   * cheaper than removing each expired pair.
   */
  logStart: number;
  /** Requests that the key may still send before `resetAtSeconds`. Updated by the algorithm's `refresh` and `count`. */
  remaining: number;
  /**
   * Time at which the remaining requests of this window increase next. The functions `refresh` and `count` of the
   * rate-limiting algorithm update the time.
   */
  resetAtSeconds: number;
}

/** Rate-limiting algorithm: counts requests in a window and calculates remaining requests and reset time. */
export interface Algorithm {
  /** Removes expired requests from a window and updates `remaining` and `resetAtSeconds`. Does not count a request. */
  refresh(window: Window, nowSeconds: number): void;
  /**
   * Counts requests in a refreshed window, whether accepted or refused.
   * @param requests number of requests; default 1
   */
  count(window: Window, nowSeconds: number, requests?: number): void;
  /**
   * Returns the earliest second at which a window has room for a request of a cost. The window lacks the room, which is
   * at most its limit.
   */
  readyAt(window: Window, nowSeconds: number, cost: number): number;
  /** Sets the number of used requests of a window that starts at `startSeconds`. */
  preset(window: Window, requests: number, startSeconds: number): void;
}

/** Log of every window without logged requests, because each array takes 32 bytes. Frozen: `count` replaces it. */
export const emptyLog: Window['log'] = Object.freeze([]) as never[];

export function createWindow(name: WindowName, limit: number, lengthSeconds: number): Window {
  return {
    name,
    limit,
    lengthSeconds,
    startSeconds: notStarted,
    used: 0,
    log: emptyLog,
    logStart: 0,
    remaining: limit,
    resetAtSeconds: 0,
  };
}

/**
 * Selects the rate-limiting algorithm by two scenario settings: `algorithm` (fixed window, sliding log or token bucket)
 * and `windowStart` (start of a fixed window).
 */
export function windowAlgorithm({
  algorithm,
  windowStart,
}: Pick<LimitSettings, 'algorithm' | 'windowStart'>): Algorithm {
  if (algorithm === 'sliding-log') return slidingLog;
  if (algorithm === 'token-bucket') return tokenBucket;
  return windowStart === 'clock' ? clockWindow : firstRequestWindow;
}

/**
 * Creates a fixed-window algorithm.
 * @param startFor returns a new window's start: the time of the first request, or a multiple of the window length
 */
function fixedWindow(startFor: (window: Window, nowSeconds: number) => number): Algorithm {
  return {
    refresh(window, nowSeconds) {
      const { startSeconds, lengthSeconds } = window;
      // If the clock was set back, the current time can be before the window's start. The window then ends.
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
      // Without the check of `refresh` for the window's end, which every caller has made: 6 % of `admit`.
      window.remaining = Math.max(0, window.limit - window.used);
      window.resetAtSeconds = window.startSeconds + window.lengthSeconds;
    },
    readyAt: ({ resetAtSeconds }) => resetAtSeconds,
    preset(window, requests, startSeconds) {
      window.startSeconds = startFor(window, startSeconds);
      window.used = requests;
    },
  };
}

const firstRequestWindow = fixedWindow((_, nowSeconds) => nowSeconds);
const clockWindow = fixedWindow(({ lengthSeconds }, nowSeconds) => nowSeconds - (nowSeconds % lengthSeconds));

/**
 * Sliding-log algorithm: counts the requests of the last `lengthSeconds`. The reset time is when enough requests have
 * expired to allow a new one.
 */
const slidingLog: Algorithm = {
  refresh(window, nowSeconds) {
    const { lengthSeconds, limit, log } = window;
    for (; (log[window.logStart]?.[0] ?? nowSeconds) + lengthSeconds <= nowSeconds; window.logStart++) {
      window.used -= log[window.logStart]?.[1] as number;
    }
    // If the clock was set back, removes requests of later times from the window's count.
    while (log.length > window.logStart && (log.at(-1)?.[0] as number) > nowSeconds)
      window.used -= log.pop()?.[1] as number;
    if (window.logStart * 2 > log.length) window.logStart -= log.splice(0, window.logStart).length;
    window.remaining = Math.max(0, limit - window.used);
    window.resetAtSeconds = lengthSeconds + (nthOldest(window, Math.max(1, window.used - limit + 1)) ?? nowSeconds);
  },
  count(window, nowSeconds, requests = 1) {
    const newest = window.log.at(-1);
    if (newest === undefined) window.log = [[nowSeconds, requests]];
    else if (newest[0] === nowSeconds) newest[1] += requests;
    else window.log.push([nowSeconds, requests]);
    window.used += requests;
    slidingLog.refresh(window, nowSeconds);
  },
  readyAt: (window, nowSeconds, cost) =>
    window.lengthSeconds + (nthOldest(window, window.used - window.limit + cost) ?? nowSeconds),
  preset(window, requests, startSeconds) {
    window.log = requests > 0 ? [[startSeconds, requests]] : emptyLog;
    window.logStart = 0;
    window.used = requests;
  },
};

/** Unix second of the n-th oldest request in a sliding-log window; `undefined` with fewer requests. */
function nthOldest({ log, logStart }: Window, n: number): number | undefined {
  let count = 0;
  for (let index = logStart; index < log.length; index++) {
    const [second, requests] = log[index] as Window['log'][number];
    count += requests;
    if (count >= n) return second;
  }
  return undefined;
}

/**
 * Token-bucket algorithm: refills `limit` tokens evenly over `lengthSeconds`, once per second. The reset time is when
 * the next whole token is available. Amounts are in units of 1/lengthSeconds token, to avoid fractions.
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
  readyAt: ({ limit, lengthSeconds, used }, nowSeconds, cost) =>
    nowSeconds + Math.ceil((cost * lengthSeconds - (limit * lengthSeconds - used)) / limit),
  preset(window, requests, startSeconds) {
    window.startSeconds = startSeconds;
    window.used = requests * window.lengthSeconds;
  },
};
