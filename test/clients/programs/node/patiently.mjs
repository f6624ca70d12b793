import { setTimeout as sleep } from 'node:timers/promises';
import { retryDelayMs } from './retry-delay.mjs';

// doc: patiently
/**
 * Makes a call until it succeeds or must not be sent again; for clients that return responses or
 * throw them.
 */
export async function patiently({ method, signal }, send) {
  for (let attempt = 1; ; attempt++) {
    const [result, hasFailed] = await send().then(
      (response) => [response, false],
      (error) => [error, true],
    );
    const waitMs = retryDelayMs(attempt, method, hasFailed ? result.response : result);
    if (waitMs === undefined && hasFailed) throw result;
    if (waitMs === undefined) return result;
    await sleep(waitMs, undefined, { signal });
  }
}

/** fetch with a time limit, and with the whole body: a response that breaks off is an error. */
export async function fetchWhole(url, init) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
  const body = await response.blob();
  return new Response(body.size > 0 ? body : null, response);
}

export function patientFetch(url, init) {
  const request = new Request(url, init);
  return patiently(request, () => fetchWhole(request.clone()));
}
// end

// doc: whole
//| import { setTimeout as sleep } from 'node:timers/promises';
//|
//| <patiently>
// end
