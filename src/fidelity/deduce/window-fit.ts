import type { Settings } from '../../petstore/settings.js';
import type { Window } from '../../rate-limits/window.js';

/** What an answer says of one window, and whether its request was counted in it. */
export interface WindowSight {
  readonly nowSeconds: number;
  readonly remaining: number;
  readonly reset: number;
  readonly isRefused: boolean;
  readonly isCounted: boolean;
}

/** What is known of a window before the answer. */
export interface WindowMemory {
  /** Whether an answer has shown it. Until then its past is unknown. */
  isSeen: boolean;
  /** Until this Unix second it may hold requests whose instants, or a part of a token that nobody knows. */
  vagueUntil: number;
  /** Sliding logs only: how many of those it held at the last answer, and the reset that this told. */
  others: number;
  toldReset: number;
  /** The seconds of the requests that are known to count in it, oldest first. */
  readonly own: number[];
  /** Token buckets only: the most that the bucket may lack beyond `used`, in units of 1/lengthSeconds of a token. */
  slack: number;
  /** When the window before ended. */
  lastEnd: number;
}

/**
 * Sets a window, brought up to date and before its request is counted, so that the simulator gives this answer.
 * @returns how many requests that nobody has seen explain the difference; `undefined` when none can
 */
export function fitWindow(
  window: Window,
  memory: WindowMemory,
  sight: WindowSight,
  { algorithm, windowStart, rejectedCounts }: Settings,
): number | undefined {
  const { nowSeconds, reset, remaining } = sight;
  const afterwards = Math.max(0, window.limit - remaining);
  if (reset <= nowSeconds || remaining > window.limit) return undefined;
  if (algorithm === 'token-bucket') {
    const isCharged = sight.isCounted && (!sight.isRefused || rejectedCounts === 'all');
    return fitBucket(window, memory, sight, isCharged);
  }
  if (reset > nowSeconds + window.lengthSeconds) return undefined;
  const counted = sight.isCounted && !sight.isRefused ? 1 : 0;
  const needed = afterwards - counted;
  if (needed < 0) return undefined;
  return algorithm === 'sliding-log'
    ? fitLog(window, memory, sight, needed)
    : fitFixed(window, memory, sight, needed, windowStart === 'clock');
}

function fitFixed(
  window: Window,
  memory: WindowMemory,
  { nowSeconds, reset, isCounted, isRefused }: WindowSight,
  needed: number,
  isClock: boolean,
): number | undefined {
  const start = reset - window.lengthSeconds;
  if (isClock && start % window.lengthSeconds !== 0) return undefined;
  const isRunning = window.startSeconds !== -1;
  // A window that starts at a request cannot have started before the first one.
  const begins = isClock || start === nowSeconds;
  if (needed === 0 && !begins && !isRunning) return undefined;
  let unseen = 0;
  if (memory.isSeen) {
    if (isRunning && window.startSeconds !== start) return undefined;
    if (!isRunning && start < memory.lastEnd) return undefined;
    unseen = isRefused ? Math.max(0, window.limit - window.used) : needed - window.used;
    if (unseen < 0) return undefined;
  }
  const isUntouched = needed === 0 && !(isCounted && !isRefused);
  window.startSeconds = isUntouched && !isRunning ? -1 : start;
  if (!isRefused || !memory.isSeen || unseen > 0) window.used = isRefused ? window.limit : needed;
  return unseen;
}

function fitLog(
  window: Window,
  memory: WindowMemory,
  { nowSeconds, reset, isCounted, isRefused }: WindowSight,
  needed: number,
): number | undefined {
  const { lengthSeconds } = window;
  const oldest = reset - lengthSeconds;
  const isKnown = memory.isSeen && nowSeconds >= memory.vagueUntil;
  const own = memory.own.filter((second) => second + lengthSeconds > nowSeconds);
  const others = needed - own.length;
  if (others < 0) return undefined;
  const isCountedNow = isCounted && !isRefused;
  // The oldest that counts is one of ours, or one that nobody has seen.
  const firstOwn = own[0] ?? (isCountedNow || needed === 0 ? nowSeconds : Number.POSITIVE_INFINITY);
  if (!isRefused && (others === 0 ? oldest !== firstOwn : oldest > firstOwn)) return undefined;
  const unseen = unseenInLog(memory, { nowSeconds, reset, others, isKnown, isRefused });
  if (unseen === undefined) return undefined;
  const log = new Map<number, number>();
  if (others > 0) log.set(Math.min(oldest, nowSeconds), others);
  for (const second of own) log.set(second, (log.get(second) ?? 0) + 1);
  window.log = [...log].sort(([a], [b]) => a - b);
  window.logStart = 0;
  window.used = needed;
  memory.others = others;
  if (others > 0 && (unseen > 0 || !memory.isSeen)) memory.vagueUntil = nowSeconds + lengthSeconds;
  return unseen;
}

interface LogSight extends Pick<WindowSight, 'nowSeconds' | 'reset' | 'isRefused'> {
  /** How many requests count that are none of ours. */
  others: number;
  isKnown: boolean;
}

/** How many requests of others must have come since the last answer; `undefined` when they cannot explain this one. */
function unseenInLog(
  { isSeen, others: before, toldReset }: WindowMemory,
  { nowSeconds, reset, others, isKnown, isRefused }: LogSight,
): number | undefined {
  if (!isSeen) return 0;
  // Nothing leaves a log before its oldest request does, and every answer tells when that is.
  const isWhole = nowSeconds < toldReset && !isRefused;
  if (isWhole && (reset !== toldReset || others < before)) return undefined;
  const unseen = Math.max(0, others - (isKnown ? 0 : before));
  return isKnown && unseen === 0 ? undefined : unseen;
}

/** Amounts are in units of 1/lengthSeconds of a token, as in the simulator. */
function fitBucket(
  window: Window,
  memory: WindowMemory,
  { nowSeconds, reset, remaining }: WindowSight,
  isCharged: boolean,
): number | undefined {
  const { limit, lengthSeconds } = window;
  const size = limit * lengthSeconds;
  const seconds = reset - nowSeconds;
  // How full the bucket is afterwards: within the token that is being filled, and within the second that Reset names.
  const next = (remaining + 1) * lengthSeconds;
  // Where refusals count, it may lack more than it can hold.
  const emptiest = remaining === 0 ? Number.NEGATIVE_INFINITY : remaining * lengthSeconds;
  const least = Math.max(emptiest, next - seconds * limit);
  const most = Math.min(next - 1, next - (seconds - 1) * limit - 1);
  if (least > most || remaining > limit || (remaining === limit && least > size)) return undefined;
  const counted = isCharged ? lengthSeconds : 0;
  const usedLeast = Math.max(0, size - most - counted);
  const usedMost = size - least - counted;
  if (usedMost < 0) return undefined;
  const isKnown = memory.isSeen && nowSeconds >= memory.vagueUntil;
  const { used } = window;
  window.startSeconds = nowSeconds;
  // A bucket that was full may have been so when another request came: what it lacks is then no whole token.
  if (isKnown && used > 0) {
    const unseen = Math.ceil((usedLeast - used) / lengthSeconds);
    if (unseen < 1 || used + unseen * lengthSeconds > usedMost) return undefined;
    window.used = used + unseen * lengthSeconds;
    return unseen;
  }
  // What part of a token it holds is not known, and no more than that.
  if (memory.isSeen && used - usedMost >= lengthSeconds) return undefined;
  window.used = memory.isSeen ? Math.min(Math.max(used, usedLeast), usedMost) : usedLeast;
  memory.vagueUntil = Number.POSITIVE_INFINITY;
  if (!memory.isSeen) {
    memory.slack = usedMost - usedLeast;
    return 0;
  }
  // Parts of a token that were unknown at the first response explain a fall once, not at every response.
  const beyond = Math.max(0, window.used - used) - (isKnown ? 0 : memory.slack);
  const unseen = Math.ceil(Math.max(0, beyond) / lengthSeconds);
  // A request takes a whole token from a bucket that is not full.
  if (unseen > 0 && used > 0 && used + unseen * lengthSeconds > usedMost) return undefined;
  memory.slack = beyond > 0 ? lengthSeconds - 1 : -beyond;
  return unseen;
}

/** A bucket that has filled for longer than the most that it may lack is full, so that all of it is known. */
export function settleBucket(window: Window, memory: WindowMemory, nowSeconds: number): void {
  if (window.startSeconds === -1) return;
  const filled = (nowSeconds - window.startSeconds) * window.limit;
  if (window.used - filled <= -window.lengthSeconds) memory.vagueUntil = 0;
}
