import { createSimulator, type Scenario, type Simulator } from '../../src/index.js';
import { type Door, noon, threePets } from './doors.js';

/** A simulator behind a door, whose answers are not checked: they are meant to be wrong. */
export interface UncheckedWorld {
  sim: Simulator;
  baseUrl: string;
  /** What a client of the door calls. */
  fetch: typeof fetch;
  /** With `free-key`; a body is sent as application/json. */
  send(method: string, path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void> | void;
}

/** As `openWorld`, the clock frozen at noon. */
export async function openUnchecked(door: Door, scenario: Scenario): Promise<UncheckedWorld> {
  const sim = createSimulator({
    scenario: { pets: [...threePets], ...scenario, clock: { start: noon, mode: 'frozen', ...scenario.clock } },
    onError: (error) => {
      throw error;
    },
  });
  const { baseUrl, close } = await door.open(sim);
  const own = door.name === 'fetch' ? sim.fetch : fetch;
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

/** Fields of an answer that only HTTP has. */
export const ofHttpAlone = /^(?:connection|keep-alive|content-length|transfer-encoding)$/;
