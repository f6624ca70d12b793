import { clockText } from '../rate-limits/served-again.js';
import { formatInteger } from '../values/format-integer.js';
import { pluralize } from '../values/pluralize.js';
import type { FaultRule } from './fault-rule.js';

/** Counts of a fault rule, and the times to which its conditions `after` and `for` refer, in Unix milliseconds. */
interface Progress {
  seen: number;
  applied: number;
  startMs: number;
  nowMs: number;
}

/**
 * Describes in words to which of the following matching requests a fault rule applies: `the next request`, `after 2 more
 * requests`, `the next 3 requests`, `used up`. Times are UTC.
 */
export function describeNext({ when, failTimes }: FaultRule, { seen, applied, startMs, nowMs }: Progress): string {
  const { nth, every = 1, probability, first = Number.POSITIVE_INFINITY, times = Number.POSITIVE_INFINITY } = when;
  const number = seen + 1;
  const last = Math.min(first, nth ?? first);
  const next = nth ?? Math.ceil(number / every) * every;
  const timesLeft = times - applied;
  if (next < number || next > last || timesLeft <= 0) return 'used up';
  const fromMs = startMs + (when.after ?? 0);
  const untilMs = when.for === undefined ? Number.POSITIVE_INFINITY : fromMs + when.for;
  if (nowMs >= untilMs) return `over since ${clockText(untilMs, nowMs)}`;
  const selectedLeft = nth === undefined ? Math.floor(last / every) - Math.floor(seen / every) : 1;
  const isInRow = every === 1 || nth !== undefined;
  const inRow = probability === undefined ? Math.min(selectedLeft, timesLeft) : selectedLeft;
  const most = isInRow ? timesLeft : Math.min(selectedLeft, timesLeft);
  return [
    when.after !== undefined && nowMs < fromMs && `from ${clockText(fromMs, nowMs)}`,
    Number.isFinite(untilMs) && `until ${clockText(untilMs, nowMs)}`,
    isInRow ? rowText(next - number, inRow) : everyText(next - number, every),
    probability !== undefined && `${formatShare(probability)}${isInRow && inRow === 1 ? ' of the time' : ' of them'}`,
    most < (isInRow ? inRow : Number.POSITIVE_INFINITY) && `at most ${pluralize(most, 'more time')}`,
    failTimes !== undefined && `each call ${pluralize(failTimes, 'time')}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function rowText(waits: number, left: number): string {
  if (waits > 0) return `after ${pluralize(waits, 'more request')}`;
  if (left === 1) return 'the next request';
  return Number.isFinite(left) ? `the next ${pluralize(left, 'request')}` : 'every request';
}

const everyText = (waits: number, every: number): string =>
  `every ${ordinal(every)} request, ${waits === 0 ? 'also the next' : `next after ${formatInteger(waits)} more`}`;

function ordinal(number: number): string {
  const ending = { 1: 'st', 2: 'nd', 3: 'rd' }[number % 10];
  return `${formatInteger(number)}${(number % 100 < 11 || number % 100 > 13) && ending ? ending : 'th'}`;
}

/** Formats a probability with at most two digits after the point: `12.5 %`. */
const formatShare = (share: number) => `${Number((share * 100).toFixed(2))} %`;
