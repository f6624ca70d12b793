import { isOperationName, type OperationName } from '../../petstore/document.js';
import type { Fault } from '../../scenario/fault-schema.js';
import { type Exchange, isGivenUp } from '../../traffic-files/exchange.js';
import { textOfBytes } from '../../values/json-bytes.js';
import { isRefusal } from './observed-rate.js';

/** Minimum response time for which a recorded response becomes a fault rule with the same delay. */
const slowMs = 1_000;
/** Assumed ratio between an API's response time and the time until the client aborted the request. */
const guessedShare = 2;
/** Maximum number of fault rules in a scenario that is created from recorded requests. */
const maximumFaults = 50;
const longestBody = 2_000;

/** Creates fault rules from the failures in a recording. Each applies to the n-th request of its operation. */
export function recordedFaults(exchanges: readonly Exchange[]): Fault[] {
  const counts = new Map<OperationName, number>();
  const faults: Fault[] = [];
  for (const exchange of exchanges) {
    const { operation, status } = exchange;
    // Fault rules never apply to requests that got a 401 or were rate-limited.
    if (!isOperationName(operation) || status === 401 || isRefusal(exchange)) continue;
    const nth = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, nth);
    const then = effectOf(exchange);
    if (then === undefined || faults.length === maximumFaults) continue;
    faults.push({ name: `recorded-${faults.length + 1}`, when: { operation, nth }, then });
  }
  return faults;
}

function effectOf(exchange: Exchange): Fault['then'] | undefined {
  const { status, arrivedAtMs, answeredAtMs, headers, responseBody } = exchange;
  const lastedMs = Math.round(answeredAtMs - arrivedAtMs);
  const isSlow = lastedMs >= slowMs;
  if (isGivenUp(exchange)) return isSlow ? { delay: guessedShare * lastedMs } : undefined;
  const delay = isSlow ? { delay: lastedMs } : {};
  if (status === 0) return { reset: true, ...delay };
  if (status < 500) return isSlow ? delay : undefined;
  const wait = headers['Retry-After'];
  return {
    respond: {
      status: Math.min(status, 599),
      ...(wait !== undefined && { headers: { 'Retry-After': wait } }),
      ...(responseBody !== '' && { body: textOfBytes(responseBody).slice(0, longestBody) }),
    },
    ...delay,
  };
}
