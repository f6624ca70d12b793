import type { Settings } from '../../petstore/settings.js';

/** Range of times in milliseconds, both ends included. The caller chooses the time that counts as 0. */
export type TimeRange = readonly [minimum: number, maximum: number];

/**
 * Resolution of time ranges. Ranges include both ends, so a range that must end before a time ends earlier by this
 * resolution.
 */
export const resolutionMs = 0.001;

/** Returns the overlap of two ranges of times; `undefined` without one. */
export function overlapOf(a: TimeRange, b: TimeRange): TimeRange | undefined {
  const [minimum, maximum] = [Math.max(a[0], b[0]), Math.min(a[1], b[1])];
  return minimum <= maximum ? [minimum, maximum] : undefined;
}

const plus = ([minimum, maximum]: TimeRange, ms: number): TimeRange => [minimum + ms, maximum + ms];

/** Limit of a rate-limit window, and its length in milliseconds. */
export interface WindowSize {
  readonly limit: number;
  readonly length: number;
}

/** State of one rate-limit window of an API key, as far as responses show it. */
export interface WindowState {
  /** Number of requests that a fixed window has counted; 0 for other kinds of windows. */
  readonly used: number;
  /**
   * End of the current fixed window of the rate limit, if any. For a token bucket: time at which the bucket is full.
   */
  readonly end: TimeRange | undefined;
  /**
   * Sliding windows: counted requests in groups, oldest first. Each group has a range of times and a number of
   * requests.
   */
  readonly hits: readonly (readonly [minimum: number, maximum: number, requests: number])[];
}

const noRequests: WindowState = { used: 0, end: undefined, hits: [] };

/**
 * Lists the state of a window that ends at `end`. The list is empty if `end` is `undefined`, because no end time fits
 * the API's responses.
 */
const endingAt = (end: TimeRange | undefined, used = 0): WindowState[] =>
  end === undefined ? [] : [{ ...noRequests, used, end }];

/**
 * Lists the state of a sliding window with the counted requests `hits`. The list is empty if `hits` is `undefined`,
 * because the API's responses then contradict the sliding window.
 */
const stateWithHits = (hits: Hits | undefined): WindowState[] => (hits === undefined ? [] : [{ ...noRequests, hits }]);

const since = (ms: number): TimeRange => [ms, Number.POSITIVE_INFINITY];
const until = (ms: number): TimeRange => [Number.NEGATIVE_INFINITY, ms];
/**
 * Range of times, in milliseconds, at which an unused token bucket became full. Both ends are minus infinity, because
 * the bucket has always been full.
 */
const alwaysFull = until(Number.NEGATIVE_INFINITY);

/** Request and response, as far as they concern one rate-limit window. */
export interface WindowObservation {
  /** Whether the window was used up before the request; `undefined` if both are possible. */
  readonly wasUsedUp?: boolean | undefined;
  /** Whether the request counts as used in the observed rate-limit window (minute or day). */
  readonly isCharged: boolean;
  /**
   * Rate-limit headers of the response for this window; `undefined` if the headers describe the key's other window
   * (minute or day).
   */
  readonly shown?: { readonly remaining: number; readonly end: TimeRange } | undefined;
}

/**
 * Simulation of a rate-limit algorithm with time ranges, because the exact times at the service are unknown. Returns
 * every state that the responses allow. If no state remains, the service has another algorithm.
 */
export interface SimulatedWindow {
  /**
   * Returns the possible states of a rate-limit window after the first response whose headers describe the window. The
   * state of the window before this response is unknown.
   */
  first(
    size: WindowSize,
    arrival: TimeRange,
    sight: WindowObservation & { readonly shown: NonNullable<WindowObservation['shown']> },
  ): WindowState[];
  /**
   * Returns a rate-limit window's possible states after a response; none if the response contradicts the rate-limit
   * algorithm.
   */
  next(size: WindowSize, state: WindowState, arrival: TimeRange, sight: WindowObservation): WindowState[];
  /**
   * Predicts X-RateLimit-Remaining and the reset time (`end`, in milliseconds) of a response, each as a range. The
   * reset time applies to the largest possible X-RateLimit-Remaining.
   */
  predict(
    size: WindowSize,
    state: WindowState,
    arrival: TimeRange,
  ): { readonly remaining: TimeRange; readonly end: TimeRange };
}

export function simulatedWindow({ algorithm, windowStart }: Settings): SimulatedWindow {
  if (algorithm === 'sliding-log') return slidingLog;
  if (algorithm === 'token-bucket') return tokenBucket;
  return windowStart === 'clock' ? clockWindow : firstRequestWindow;
}

function fixedWindow(startOf: (arrival: TimeRange, length: number) => TimeRange): SimulatedWindow {
  /**
   * Returns the possible states of a rate-limit window at a request's uncertain arrival time: running, ended, or both.
   */
  const branches = (
    { used, end }: WindowState,
    [minimum, maximum]: TimeRange,
  ): { state: WindowState; arrival: TimeRange }[] => {
    const running =
      end !== undefined && minimum < end[1]
        ? [
            {
              state: { ...noRequests, used, end: [Math.max(end[0], minimum + resolutionMs), end[1]] as const },
              arrival: [minimum, Math.min(maximum, end[1] - resolutionMs)] as const,
            },
          ]
        : [];
    const isOver = end === undefined || maximum >= end[0];
    const over = isOver
      ? [{ state: noRequests, arrival: [Math.max(minimum, end?.[0] ?? minimum), maximum] as const }]
      : [];
    return [...running, ...over];
  };
  return {
    first({ limit, length }, arrival, { isCharged, shown: { remaining, end } }) {
      const used = limit - remaining;
      const charged = isCharged ? 1 : 0;
      const fresh = plus(startOf(arrival, length), length);
      if (used === charged) {
        const own = endingAt(overlapOf(fresh, end), used);
        return isCharged ? own : own.map((state) => ({ ...state, end: undefined }));
      }
      // A window that has counted earlier requests ends no later than a window that begins at this request.
      const earlier = overlapOf(end, [arrival[0] + resolutionMs, fresh[1]]);
      const isAligned = startOf === startOfClock && earlier !== undefined;
      const aligned = isAligned ? overlapOf(earlier, startOf([earlier[1], earlier[1]], length)) : earlier;
      return used < charged ? [] : endingAt(aligned, used);
    },
    next({ limit, length }, before, arrival, { wasUsedUp, isCharged, shown }) {
      return branches(before, arrival).flatMap(({ state: { used, end }, arrival: countedAtRange }) => {
        if (wasUsedUp !== undefined && used >= limit !== wasUsedUp) return [];
        const fresh = plus(startOf(countedAtRange, length), length);
        const after = { ...noRequests, used: used + (isCharged ? 1 : 0), end: end ?? (isCharged ? fresh : undefined) };
        if (shown === undefined) return [after];
        const observedRange = overlapOf(after.end ?? fresh, shown.end);
        if (observedRange === undefined || Math.max(0, limit - after.used) !== shown.remaining) return [];
        return [{ ...after, end: after.end && observedRange }];
      });
    },
    predict({ limit, length }, state, arrival) {
      const possible = branches(state, arrival).map((branch) => branch.state);
      const [minimum = noRequests, maximum = minimum] = possible;
      const left = ({ used }: WindowState) => Math.max(0, limit - used);
      return { remaining: [left(minimum), left(maximum)], end: maximum.end ?? plus(startOf(arrival, length), length) };
    },
  };
}

const startOfClock = ([minimum, maximum]: TimeRange, length: number): TimeRange => [
  Math.floor(minimum / length) * length,
  Math.floor(maximum / length) * length,
];
const firstRequestWindow = fixedWindow((arrival) => arrival);
const clockWindow = fixedWindow(startOfClock);

type Hits = WindowState['hits'];

const countOf = (hits: Hits) => hits.reduce((sum, [, , requests]) => sum + requests, 0);

/**
 * Reduces the requests of a sliding window to the newest `kept` ones. Returns `undefined` if the number or the times of
 * the requests contradict this reduction.
 */
function keepNewest(hits: Hits, kept: number, arrival: TimeRange, length: number): Hits | undefined {
  let excess = countOf(hits) - kept;
  if (excess < 0) return undefined;
  let [earliestArrival] = arrival;
  const left: (readonly [number, number, number])[] = [];
  for (const [minimum, maximum, requests] of hits) {
    const removed = Math.min(excess, requests);
    excess -= removed;
    if (removed > 0 && minimum + length > arrival[1]) return undefined;
    if (removed > 0) earliestArrival = Math.max(earliestArrival, minimum + length);
    if (removed === requests) continue;
    const stillCounts = Math.max(minimum, earliestArrival - length + resolutionMs);
    if (stillCounts > maximum) return undefined;
    left.push([stillCounts, maximum, requests - removed]);
  }
  return left;
}

/**
 * Limits the possible times of the n-th oldest request in a sliding rate-limit window to the range `span`. Limits the
 * times of the other requests by the order of arrival. Returns `undefined` if no time is possible.
 */
function narrowNth(hits: Hits, nth: number, span: TimeRange): Hits | undefined {
  const narrowed: (readonly [number, number, number])[] = [];
  let seen = 0;
  let found: TimeRange | undefined;
  for (const [minimum, maximum, requests] of hits) {
    const before = Math.min(requests, Math.max(0, nth - 1 - seen));
    if (before > 0) narrowed.push([minimum, Math.min(maximum, span[1]), before]);
    let after = requests - before;
    if (after > 0 && found === undefined) {
      found = overlapOf([minimum, maximum], span);
      if (found === undefined) return undefined;
      // Requests with equal time ranges share a list entry. The entry is split only if the range of one request becomes
      // narrower.
      if (found[0] === minimum && found[1] === maximum) {
        narrowed.push([minimum, maximum, after]);
        after = 0;
      } else {
        narrowed.push([...found, 1]);
        after--;
      }
    }
    if (after > 0) narrowed.push([Math.max(minimum, found?.[0] ?? minimum), maximum, after]);
    seen += requests;
  }
  return narrowed.every(([minimum, maximum]) => minimum <= maximum) ? narrowed : undefined;
}

const slidingLog: SimulatedWindow = {
  first({ limit, length }, arrival, { isCharged, shown: { remaining, end } }) {
    const used = limit - remaining;
    const earlier = used - (isCharged ? 1 : 0);
    const oldest = plus(end, -length);
    if (earlier < 0) return [];
    if (earlier === 0) {
      const observedRange = overlapOf(arrival, oldest);
      return stateWithHits(observedRange && (isCharged ? [[...observedRange, 1]] : []));
    }
    const first = overlapOf(oldest, [arrival[0] - length + resolutionMs, arrival[1]]);
    if (first === undefined) return [];
    const others: Hits = earlier > 1 ? [[first[0], arrival[1], earlier - 1]] : [];
    const own: Hits = isCharged ? [[...arrival, 1]] : [];
    return stateWithHits([[...first, 1], ...others, ...own]);
  },
  next(size, state, arrival, { wasUsedUp, isCharged, shown }) {
    const { limit, length } = size;
    const { hits } = state;
    const charged = isCharged ? 1 : 0;
    const add = (left: Hits): Hits => (isCharged ? [...left, [...arrival, 1]] : left);
    if (shown === undefined) {
      const [minimumRemaining, maximumRemaining] = slidingLog.predict(size, state, arrival).remaining;
      if (wasUsedUp === true ? minimumRemaining > 0 : wasUsedUp === false && maximumRemaining === 0) return [];
      return stateWithHits(add(hits.filter(([, maximum]) => maximum + length > arrival[0])));
    }
    const counts: number[] = [];
    const minimum = limit - shown.remaining - charged;
    // A response with 0 remaining requests does not show how many requests were counted, because rejected requests may
    // count beyond the limit.
    const maximum = shown.remaining > 0 ? minimum : countOf(hits);
    for (let count = minimum; count <= maximum; count++) {
      if (wasUsedUp === undefined || wasUsedUp === count >= limit) counts.push(count);
    }
    return counts.flatMap((count) => {
      const left = keepNewest(hits, count, arrival, length);
      if (left === undefined) return [];
      const after = add(left);
      const used = count + charged;
      const oldest = plus(shown.end, -length);
      if (used === 0) return stateWithHits(overlapOf(arrival, oldest) && after);
      return stateWithHits(narrowNth(after, Math.max(1, used - limit + 1), oldest));
    });
  },
  predict({ limit, length }, { hits }, arrival) {
    const counting = hits.filter(([minimum]) => minimum + length > arrival[1]);
    const used = countOf(counting);
    let before = Math.max(1, used - limit + 1);
    const nth = counting.find(([, , requests]) => {
      before -= requests;
      return before <= 0;
    });
    const maximum = countOf(hits.filter(([, latest]) => latest + length > arrival[0]));
    return {
      remaining: [Math.max(0, limit - maximum), Math.max(0, limit - used)],
      end: plus(nth === undefined ? arrival : [nth[0], nth[1]], length),
    };
  },
};

/**
 * Token bucket (ITU-T I.371: GCRA): each counted request postpones the time at which the bucket is full by the time for
 * one token.
 */
const tokenBucket: SimulatedWindow = {
  first(size, arrival, sight) {
    const { limit, length } = size;
    const token = length / limit;
    // A counted request takes one token. The bucket is therefore full at the earliest after the time in which one token
    // is refilled.
    const minimum = sight.isCharged ? arrival[0] + token : Number.NEGATIVE_INFINITY;
    return observe(size, since(minimum), arrival, sight.shown);
  },
  next(size, { end = alwaysFull }, arrival, sight) {
    const { limit, length } = size;
    const { wasUsedUp, isCharged, shown } = sight;
    const token = length / limit;
    const oneLeft = length - token;
    let countedAtRange: TimeRange | undefined = arrival;
    let full: TimeRange | undefined = end;
    if (wasUsedUp === false) {
      full = overlapOf(full, until(arrival[1] + oneLeft + resolutionMs));
      countedAtRange = overlapOf(arrival, since(end[0] - oneLeft - resolutionMs));
    } else if (wasUsedUp === true) {
      full = overlapOf(full, since(arrival[0] + oneLeft + resolutionMs));
      countedAtRange = overlapOf(arrival, until(end[1] - oneLeft - resolutionMs));
    }
    if (full === undefined || countedAtRange === undefined) return [];
    if (isCharged) full = [Math.max(full[0], countedAtRange[0]) + token, Math.max(full[1], countedAtRange[1]) + token];
    return shown === undefined ? endingAt(full) : observe(size, full, countedAtRange, shown);
  },
  predict({ limit, length }, { end = alwaysFull }, arrival) {
    const token = length / limit;
    const left = (lackingMs: number) => Math.max(0, Math.floor(limit - Math.max(0, lackingMs - resolutionMs) / token));
    const maximum = left(end[0] - arrival[1]);
    return {
      remaining: [left(end[1] - arrival[0]), maximum],
      end: maximum === limit ? plus(arrival, token) : plus(end, -(limit - maximum - 1) * token),
    };
  },
};

function observe(
  { limit, length }: WindowSize,
  full: TimeRange,
  arrival: TimeRange,
  { remaining, end }: NonNullable<WindowObservation['shown']>,
): WindowState[] {
  const token = length / limit;
  if (remaining === limit) {
    const isNext = overlapOf(plus(arrival, token), end) !== undefined;
    return isNext ? endingAt(overlapOf(full, until(arrival[1] + resolutionMs))) : [];
  }
  const minimum = arrival[0] + (limit - remaining - 1) * token + resolutionMs;
  // The time until a token bucket is full has no maximum if rejected requests also take tokens.
  const maximum = remaining === 0 ? Number.POSITIVE_INFINITY : arrival[1] + (limit - remaining) * token + resolutionMs;
  const level = overlapOf(full, [minimum, maximum]);
  const shownRange = plus([end[0] - resolutionMs, end[1] + resolutionMs], (limit - remaining - 1) * token);
  return endingAt(level && overlapOf(level, shownRange));
}
