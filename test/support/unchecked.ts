import type { Scenario, Simulator } from '../../src/entries/index.js';
import { type Adapter, simulatorOf } from './adapters.js';
import { atEnd } from './at-end.js';

/** A simulator behind an adapter whose responses are not checked, because they are wrong on purpose. */
export interface UncheckedService {
  sim: Simulator;
  baseUrl: string;
  /** Sends a request through the client of an adapter. */
  fetch: typeof fetch;
  /** With `free-key`. A body is sent as application/json. */
  send(method: string, path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void> | void;
}

/** Opens a service like `openService`, which is closed after the test, if not before. */
export async function openUnchecked(adapter: Adapter, scenario: Scenario): Promise<UncheckedService> {
  const sim = simulatorOf(scenario);
  const { baseUrl, close } = await adapter.open(sim);
  atEnd(close);
  const own = adapter.name === 'fetch' ? sim.fetch : fetch;
  return {
    sim,
    baseUrl,
    fetch: own,
    send: (method, path, { headers, ...init } = {}) =>
      own(`${baseUrl}${path}`, {
        method,
        ...init,
        headers: {
          authorization: 'Bearer free-key',
          ...(init.body && { 'content-type': 'application/json' }),
          ...headers,
        },
      }),
    close,
  };
}

/** Parts of a response that only HTTP has. */
export const ofHttpAlone = /^(?:connection|keep-alive|content-length|transfer-encoding)$/;
