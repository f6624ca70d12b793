import { setTimeout } from 'node:timers/promises';
import { longestTimerMs } from '../clock/simulated-clock.js';
import {
  CalibrationEnded,
  type ServiceResponse,
  ServiceUnusable,
  type Transport,
} from '../fidelity/ask-service/service-client.js';

/** Timeout of one request to the real API. */
const timeoutMs = 30_000;
/** Maximum size of a response body of the real API, in bytes. */
const maximumBytes = 10_000_000;

export interface HttpTransport extends Transport {
  /** Aborts the current wait between requests to the real API. All later waits and requests fail. */
  stop(): void;
}

/**
 * Creates an object that sends HTTP requests to a real API and waits in real time.
 * @param key API key for the requests; masked in the returned responses
 * @param whenStopped error message of requests after a call of `stop`
 */
export function createHttpTransport(baseUrl: string, key: string, whenStopped = 'Stopped.'): HttpTransport {
  const base = baseUrl.replace(/\/+$/, '');
  const stopped = new AbortController();
  const hide = (text: string) => text.replaceAll(key, 'own');
  return {
    baseUrl: base,
    now: () => Date.now(),
    stop: () => stopped.abort(new CalibrationEnded(whenStopped)),
    async sleep(ms) {
      for (let left = ms; left > 0; left -= longestTimerMs) {
        await setTimeout(Math.min(left, longestTimerMs), undefined, { signal: stopped.signal }).catch(() => {});
        stopped.signal.throwIfAborted();
      }
    },
    async send({ method, target, headers, body, token }): Promise<ServiceResponse> {
      stopped.signal.throwIfAborted();
      const authorization = token === 'none' ? {} : { authorization: `Bearer ${token === 'own' ? key : token}` };
      const response = await fetch(base + target, {
        method,
        headers: { 'user-agent': 'petstore-sim', ...headers, ...authorization },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      });
      const text = await textOf(response, `${method} ${base}${target}`);
      const shown = [...response.headers].map(([name, value]) => [name, hide(value)] as const);
      return { status: response.status, headers: shown, body: hide(text) };
    },
  };
}

/**
 * Reads the text of a response.
 * @throws {ServiceUnusable} for more than 10 MB, because no Petstore response is that long
 */
async function textOf(response: Response, request: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    // A response body that is too long causes an error, which ends the `for await` loop. The end of the loop cancels
    // the rest of the download.
    if (bytes > maximumBytes) {
      throw new ServiceUnusable(
        `${request} responded with more than 10 MB, expected a response of the API; check the base URL.`,
      );
    }
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
