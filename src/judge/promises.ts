import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { RequestRecord } from '../requests/request-record.js';

type Answered = WithHeaders & Pick<RequestRecord, 'answeredAtMs'>;
type WithHeaders = Pick<RequestRecord, 'headers'>;

/** RFC 9110 section 5.6.7, the one form of a date that a sender may generate. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait that Retry-After asks for, in milliseconds (RFC 9110 section 10.2.3: seconds or a date; decimal seconds too,
 * because services send them); `undefined` where it is missing or cannot be read.
 */
export function readRetryAfter(answer: Answered): number | undefined {
  const text = answer.headers[retryAfterHeader];
  if (text === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  return httpDate.test(text) ? Math.max(0, Date.parse(text) - answer.answeredAtMs) : undefined;
}

/** Whether Retry-After is a date, which many clients cannot read. */
export const isRetryDate = (answer: WithHeaders) => httpDate.test(answer.headers[retryAfterHeader] ?? '');

/** X-RateLimit-Reset as an instant; milliseconds and seconds left are told by their size, because services send them. */
export function readReset(answer: Answered): number | undefined {
  const text = answer.headers[rateLimitHeaders.reset] ?? '';
  if (!/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  const unit = unitOfReset(value);
  if (unit === 'Unix milliseconds') return value;
  return unit === 'seconds that are left' ? answer.answeredAtMs + value * 1000 : value * 1000;
}

const unitOfReset = (value: number) =>
  value > 1e11 ? 'Unix milliseconds' : value < 1e8 ? 'seconds that are left' : 'Unix seconds';

/** X-RateLimit-Reset with what it counts: `10, seconds that are left`. */
export function describeReset(answer: WithHeaders): string {
  const text = answer.headers[rateLimitHeaders.reset];
  return `${text}, ${unitOfReset(Number(text))}`;
}

/** What an answer asked a client to wait for. */
interface Promises {
  /** The wait that Retry-After asked for; `undefined` where it was missing or cannot be read. */
  retryAfterMs: number | undefined;
  /** X-RateLimit-Reset of a refusal as an instant, where it lies ahead or is all there is. */
  resetMs: number | undefined;
  /** The earliest instant that the answer named for coming back; `undefined` where it named none that can be read. */
  deadlineMs: number | undefined;
}

export const noPromises: Promises = { deadlineMs: undefined, retryAfterMs: undefined, resetMs: undefined };

/** Both headers are promises, and the earlier one counts; but none asks for less than the other by lying in the past. */
export function promisesOf(
  answer: Answered & Pick<RequestRecord, 'status' | 'arrivedAtMs'>,
  isRefused: boolean,
): Promises {
  // A server that is away names a wait, too; when its limits reset is no matter then.
  if (!isRefused && answer.status !== 503) return noPromises;
  const retryAfterMs = readRetryAfter(answer);
  const resetMs = isRefused ? readReset(answer) : undefined;
  if (retryAfterMs === undefined) return { deadlineMs: resetMs, retryAfterMs, resetMs };
  const untilMs = answer.answeredAtMs + retryAfterMs;
  // Ahead of the request: an answer that was held back may come when the reset that it names has passed.
  const isAhead = resetMs !== undefined && resetMs > answer.arrivedAtMs;
  return isAhead
    ? { deadlineMs: Math.min(untilMs, resetMs), retryAfterMs, resetMs }
    : { deadlineMs: untilMs, retryAfterMs, resetMs: undefined };
}

/** The earliest instant that a refusal or a 503 named for coming back; `undefined` where it named none that can be read. */
export const toldUntilMs = (
  answer: Pick<RequestRecord, 'headers' | 'arrivedAtMs' | 'answeredAtMs' | 'refusal' | 'status'>,
): number | undefined => promisesOf(answer, answer.refusal !== undefined || answer.status === 429).deadlineMs;
