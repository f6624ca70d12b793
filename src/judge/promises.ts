import { isRefusedByOther, type RequestRecord } from '../requests/request-record.js';
import { textOfBytes } from '../values/json-bytes.js';
import { isMap, mapOf } from '../values/plain-data.js';
import { readTold, type TellingResponse, type Told } from '../values/told-waits.js';

/** Response in a journal or recording. `isOwn` is missing if petstore-sim itself observed the request. */
type Answered = TellingResponse & Pick<RequestRecord, 'arrivedAtMs' | 'refusal' | 'refusedBy'> & { isOwn?: boolean };

/** Whether the simulator wrote a response, not a backend, a handler or another service. */
const isOfSimulator = ({ refusedBy, isOwn = true }: Pick<Answered, 'refusedBy' | 'isOwn'>): boolean =>
  isOwn && !isRefusedByOther({ refusedBy });

/** Reads the waits of a response, of the simulator or of another service. */
export const toldBy = (answer: Omit<Answered, 'arrivedAtMs' | 'refusal'>): Told =>
  readTold(answer, isOfSimulator(answer));

/** Times that a response states for a retry. The client must not retry earlier. */
interface Promises {
  /** Explicit wait, as in Retry-After; `undefined` if missing or unreadable. */
  retryAfterMs: number | undefined;
  /** Reset time of a refusal; `undefined` if missing or in the past. */
  resetMs: number | undefined;
  /** Earliest time for a retry; `undefined` if the response names no time. */
  deadlineMs: number | undefined;
}

export const noPromises: Promises = { deadlineMs: undefined, retryAfterMs: undefined, resetMs: undefined };

/** Reads the promises of a refusal or an error, of which the earlier counts. A reset in the past promises nothing. */
export function promisesOf(
  { answeredAtMs, arrivedAtMs }: Pick<Answered, 'answeredAtMs' | 'arrivedAtMs'>,
  { retry, reset }: Told,
  isRefused: boolean,
): Promises {
  const retryAfterMs = retry && Math.max(0, retry.untilMs - answeredAtMs);
  // Compares the reset also with the arrival time of the request, because a fault rule can delay the response until
  // after the reset. The reset time in another error is ignored, because the rate limit is not its reason.
  const isAhead = isRefused && reset !== undefined && reset.untilMs > Math.min(arrivedAtMs, answeredAtMs);
  const resetMs = isAhead ? reset.untilMs : undefined;
  const times = [retryAfterMs === undefined ? undefined : answeredAtMs + retryAfterMs, resetMs].filter(
    (time) => time !== undefined,
  );
  return { deadlineMs: times.length === 0 ? undefined : Math.min(...times), retryAfterMs, resetMs };
}

/** Whether a response refused its request: by a 429, or by a ban or another service's words with any status. */
export const isRefusal = ({ status, refusal, refusedBy }: Pick<RequestRecord, 'status' | 'refusal' | 'refusedBy'>) =>
  refusal !== undefined || status === 429 || refusedBy === 'fault';

/** Reads the earliest time for a retry after a refusal or an error; `undefined` if the response names no time. */
export function earliestRetryMs(answer: Answered): number | undefined {
  const isRefused = isRefusal(answer);
  if (!isRefused && answer.status < 400) return undefined;
  return promisesOf(answer, toldBy(answer), isRefused).deadlineMs;
}

/**
 * Whether a response with a status that the user named refuses its request by a limit. Remaining requests deny it; a
 * success is a refusal only by a wait or an error code.
 */
export function isNamedRefusal(response: Pick<RequestRecord, 'status' | 'responseBody' | 'rate'>, told: Told): boolean {
  if (told.isAsking || hasLimitCode(response)) return true;
  // The simulator adds its own remaining requests to the response of a fault rule or handler, which denies nothing.
  const isOwnRemaining = told.remaining === response.rate?.remaining;
  return response.status >= 400 && (isOwnRemaining || (told.remaining ?? 0) <= 0);
}

/** Whether a response that is no refusal looks like one: a 403 without remaining requests, or a code of a limit. */
export const looksRefused = (response: Pick<Answered, 'status' | 'responseBody'> & { readonly told: Told }): boolean =>
  (response.status === 403 && response.told.remaining === 0) || hasLimitCode(response);

const limitCode = /rate|limit|throttl|quota/i;

/** Whether the JSON body of an error has a code about a limit. In the body of a success, only its errors count. */
function hasLimitCode({ status, responseBody = '' }: Pick<Answered, 'status' | 'responseBody'>): boolean {
  const text = textOfBytes(responseBody);
  if (!limitCode.test(text)) return false;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return false;
  }
  const top = mapOf(Array.isArray(body) ? body[0] : body);
  const errors = [top.error, top.errors].flat().slice(0, maximumErrors).filter(isMap);
  const inner = errors.flatMap(({ extensions, errors: causes }) => [extensions, causes].flat().slice(0, maximumErrors));
  const maps = [...(status >= 400 ? [top] : []), ...errors, ...inner.filter(isMap)];
  return maps.some((map) =>
    Object.entries(map).some(
      ([name, value]) => codeName.test(name) && typeof value === 'string' && limitCode.test(value),
    ),
  );
}

const codeName = /^(?:error_?)?(?:code|type|status|reason|error)$|^__type$/i;
/** Maximum number of errors in a body whose codes are read. */
const maximumErrors = 20;

/** Headers that forbid a retry: of Stripe, and of OpenAI's and Anthropic's SDKs. */
const retryFlags = /^(?:stripe-should-retry|x-should-retry)$/i;

/**
 * Codes of refusals that only a person can end: OpenAI (`insufficient_quota`, `billing_hard_limit_reached`,
 * `billing_not_active`, `account_deactivated`), Anthropic ("credit balance is too low"), and others alike.
 */
const permanentCode =
  /insufficient[_ ](?:quota|funds|credits?|balance)|billing|credit balance|out of credits?|account (?:is |has been |was )?(?:suspended|deactivated|disabled)|account_(?:suspended|deactivated|disabled)|payment[_ ]required/i;

/** Length of the start of a body in which a code is searched. */
const maximumCodeLength = 4_096;

/** Returns the sign in an error response that a repetition cannot succeed, for a message; `undefined` without one. */
export function permanentReasonIn({
  status,
  headers,
  responseBody = '',
}: Pick<Answered, 'status' | 'headers' | 'responseBody'>): string | undefined {
  for (const name in headers) {
    const value = headers[name] as string;
    if (retryFlags.test(name) && /^\s*false\s*$/i.test(value)) return `${name}: false`;
  }
  if (status !== 429 && status !== 402 && status !== 403) return undefined;
  const [code] = permanentCode.exec(textOfBytes(responseBody).slice(0, maximumCodeLength)) ?? [];
  return code === undefined ? undefined : `"${code}" in its body`;
}
