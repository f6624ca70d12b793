import { EndOfAsking, type RawAnswer, type Transport } from '../fidelity/ask/ask-service.js';

/** A service is given so long for an answer. */
const timeoutMs = 30_000;

export interface HttpTransport extends Transport {
  /** Ends the wait that is under way, and lets no further request out. */
  stop(): void;
}

/**
 * Sends requests to a service, in real time.
 * @param key the API key; where an answer shows it, its name stands instead
 * @param whenStopped what is said then
 */
export function createHttpTransport(baseUrl: string, key: string, whenStopped = 'Stopped.'): HttpTransport {
  const base = baseUrl.replace(/\/+$/, '');
  const stopped = new AbortController();
  const hide = (text: string) => text.replaceAll(key, 'own');
  return {
    baseUrl: base,
    now: () => Date.now(),
    stop: () => stopped.abort(new EndOfAsking(whenStopped)),
    sleep: (ms) =>
      new Promise<void>((resolve, reject) => {
        const { signal } = stopped;
        const timer = setTimeout(() => {
          signal.removeEventListener('abort', stop);
          resolve();
        }, ms);
        const stop = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop);
      }),
    async send({ method, target, headers, body, token }): Promise<RawAnswer> {
      stopped.signal.throwIfAborted();
      const authorization = token === 'none' ? {} : { authorization: `Bearer ${token === 'own' ? key : token}` };
      const response = await fetch(base + target, {
        method,
        headers: { 'user-agent': 'petstore-sim', ...headers, ...authorization },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
        ...(body !== undefined && { body: new TextEncoder().encode(body) }),
      });
      const text = await response.text();
      const shown = [...response.headers].map(([name, value]) => [name, hide(value)] as const);
      return { status: response.status, headers: shown, body: hide(text) };
    },
  };
}
