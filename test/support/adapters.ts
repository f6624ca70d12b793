import { setupServer } from 'msw/node';
import { describe, expect } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { listen } from '../../src/entries/node.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { atEnd } from './at-end.js';
import { checkAnswer, type RawAnswer } from './check-answer.js';
import { noon, noonSeconds } from './frozen.js';

export { noon, noonSeconds } from './frozen.js';

export interface CallOptions {
  /** Sent as `Authorization: Bearer KEY`. */
  key?: string;
  headers?: Record<string, string> | [string, string][];
  /**
   * Bytes, or a value sent as JSON with the Content-Type application/json, unless `headers` has a Content-Type (''
   * omits it).
   */
  body?: string | Uint8Array<ArrayBuffer>;
}

/** A response that has passed `checkAnswer`. */
export interface AdapterAnswer extends RawAnswer {
  /** Parsed body. Identifiers past 2^53-1 are rounded, so compare those in `bodyText`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  json: any;
}

export interface OpenAdapter {
  /** Base URL for the client; ends in `/v1`. */
  baseUrl: string;
  /** @param path below the base path, with the query: `/pets?limit=2` */
  call(method: string, path: string, options?: CallOptions): Promise<AdapterAnswer>;
  close(): Promise<void> | void;
}

export interface Adapter {
  name: 'fetch' | 'msw' | 'http';
  open(sim: Simulator): Promise<OpenAdapter>;
}

const anyHost = 'http://petstore.test/v1';

/** The transport of most clients. Each response is checked. */
export const httpAdapter: Adapter = {
  name: 'http',
  async open(sim) {
    const { baseUrl, close } = await listen(sim, { port: 0 });
    return { baseUrl, call: caller(sim, baseUrl, fetch), close };
  },
};

/** All adapters with a URL. */
export const adapters: readonly Adapter[] = [
  {
    name: 'fetch',
    open: async (sim) => ({ baseUrl: anyHost, call: caller(sim, anyHost, sim.fetch), close: () => {} }),
  },
  {
    name: 'msw',
    async open(sim) {
      const server = setupServer(...handlers(sim));
      // Not 'error', which would print the expected failure: no host has this name.
      server.listen({ onUnhandledRequest: 'bypass' });
      return { baseUrl: anyHost, call: caller(sim, anyHost, fetch), close: () => server.close() };
    },
  },
  httpAdapter,
];

function caller(sim: Simulator, baseUrl: string, send: typeof fetch): OpenAdapter['call'] {
  return async (method, path, { key, headers, body } = {}) => {
    const sent = new Headers(headers);
    if (key !== undefined) sent.set('Authorization', `Bearer ${key}`);
    if (body !== undefined && !sent.has('Content-Type')) sent.set('Content-Type', 'application/json');
    if (sent.get('Content-Type') === '') sent.delete('Content-Type');
    // Bytes, because fetch would add its own Content-Type to text.
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
    const response = await send(`${baseUrl}${path}`, { method, headers: sent, ...(bytes && { body: bytes }) });
    const answer = { status: response.status, headers: response.headers, bodyText: await response.text() };
    checkAnswer({ method, path, body: typeof body === 'string' ? body : undefined }, answer, sim.settings);
    return { ...answer, json: answer.bodyText === '' ? undefined : JSON.parse(answer.bodyText) };
  };
}

/** A simulator behind an adapter, with the most frequent calls. */
export interface Service extends OpenAdapter {
  sim: Simulator;
  /** GET with `free-key`. */
  get(path: string, options?: CallOptions): Promise<AdapterAnswer>;
  /** POST /pets with `free-key`. Values other than text and bytes are sent as JSON. */
  post(body: unknown, options?: CallOptions): Promise<AdapterAnswer>;
}

/** Three pets, one of each status, in categories 1 to 3. */
export const threePets = [
  { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
  { id: 2, name: 'Milo', categoryId: 2, status: 'pending' },
  { id: 3, name: 'Luna', categoryId: 3, status: 'sold' },
] as const satisfies Scenario['pets'];

/** Creates a simulator with its clock frozen at noon, behind an adapter, and closes it after the test. */
type Open = (scenario?: Scenario) => Promise<Service>;

/** Describes a behavior that an adapter could get wrong, on each of them. */
export function describeOnEveryAdapter(title: string, define: (open: Open, adapter: Adapter['name']) => void): void {
  for (const adapter of adapters) {
    describe(`${title} (${adapter.name} adapter)`, () => define(openerOf(adapter), adapter.name));
  }
}

/** Describes a behavior that is the same on every adapter, because no adapter takes part in it, over HTTP. */
export function describeOverHttp(title: string, define: (open: Open) => void): void {
  describe(title, () => define(openerOf(httpAdapter)));
}

const openerOf =
  (adapter: Adapter): Open =>
  (scenario = {}) =>
    openService(adapter, scenario);

/** A simulator with three pets and its clock frozen at noon, which throws its errors. */
export const simulatorOf = (scenario: Scenario): Simulator =>
  createSimulator({
    scenario: { pets: [...threePets], ...scenario, clock: { start: noon, mode: 'frozen', ...scenario.clock } },
    onError: (error) => {
      throw error;
    },
  });

/** A simulator with its clock frozen at noon, behind an adapter that is closed after the test, if not before. */
export async function openService({ open }: Adapter, scenario: Scenario = {}): Promise<Service> {
  const sim = simulatorOf(scenario);
  const adapter = await open(sim);
  atEnd(() => adapter.close());
  const { call } = adapter;
  return {
    ...adapter,
    sim,
    get: (path, options) => call('GET', path, { key: 'free-key', ...options }),
    post: (body, options) => {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array;
      const text = isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body);
      return call('POST', '/pets', { key: 'free-key', ...options, body: text });
    },
  };
}

/** The three X-RateLimit headers as numbers: limit, remaining, reset. */
export const rate = ({ headers }: RawAnswer) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)));

/** Expected Error body of a response. */
export const errorOf = (status: number, code: string, message: unknown) => ({ code, message, status });

/** Expected Error body of a 400. */
export const invalid = (message: unknown) => errorOf(400, 'invalid_request', message);

/** X-RateLimit headers of the first request of `free-key`. */
export const firstRate = [documentedPlans.free.minute, documentedPlans.free.minute - 1, noonSeconds + 60];

/** Checks the status, the parsed body and, if given, the X-RateLimit headers of a response. */
export function expectAnswer(answer: AdapterAnswer, status: number, body: unknown, numbers?: readonly unknown[]): void {
  expect([answer.status, answer.json, numbers && rate(answer)]).toEqual([status, body, numbers]);
}
