import axios, { type AxiosError } from 'axios';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { type Adapter, adapters } from '../support/adapters.js';
import { patience } from '../support/patience.js';
import { ofHttpAlone, openUnchecked as open, type UncheckedService } from '../support/unchecked.js';

const { minute: perMinute } = documentedPlans.free;

type Then = NonNullable<Scenario['faults']>[number]['then'];

const rex = '{"name":"Rex","categoryId":1}';
const stored = '{"id":4,"name":"Rex","categoryId":1,"status":"available"}';
const page = /^<!doctype html>/;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Result of a POST for a client of `fetch`: a rejected call, or a response with a complete or failing body. */
interface Seen {
  rejected?: string;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Error while reading the body. */
  broken?: string;
}

/** One POST that adds a pet; `after` is called once the call is made. */
async function post(service: UncheckedService, init: RequestInit = {}): Promise<Seen> {
  let answer: Response;
  try {
    answer = await service.send('POST', '/pets', { body: rex, ...init });
  } catch (error) {
    return { rejected: (error as Error).name };
  }
  const own = [...answer.headers].filter(([name]) => !ofHttpAlone.test(name));
  const seen: Seen = { status: answer.status, headers: Object.fromEntries(own), body: '' };
  const decoder = new TextDecoder();
  try {
    for await (const chunk of answer.body ?? []) seen.body += decoder.decode(chunk as Uint8Array, { stream: true });
  } catch (error) {
    seen.broken = (error as Error).name;
  }
  return seen;
}

const json = (status: number, body: unknown, broken?: string) => ({ status, body, ...(broken && { broken }) });

const noType = expect.not.objectContaining({ 'content-type': expect.anything() });
const typed = (type: string) => expect.objectContaining({ 'content-type': type });

type Effect = [name: string, then: Then, sees: object];
/** All effects that are possible in both phases, with the result for a client on every adapter. */
const inBothPhases: Effect[] = [
  [
    'respond',
    { respond: { status: 503, headers: { 'Retry-After': '2' }, body: { code: 'down' } } },
    { ...json(503, '{"code":"down"}'), headers: expect.objectContaining({ 'retry-after': '2' }) },
  ],
  [
    'respond with text',
    { respond: { status: 502, headers: { 'Content-Type': null }, body: 'Bad Gateway' } },
    { ...json(502, 'Bad Gateway'), headers: noType },
  ],
  ...[204, 205, 304].map(
    (status): Effect => [`respond ${status}`, { respond: { status } }, { ...json(status, ''), headers: noType }],
  ),
  [
    'respond 204 with a Content-Type',
    { respond: { status: 204, headers: { 'Content-Type': 'text/plain' } } },
    { ...json(204, ''), headers: typed('text/plain') },
  ],
  ['reset', { reset: true }, { rejected: 'TypeError' }],
  ['close', { close: true }, { rejected: 'TypeError' }],
  ['hang', { hang: true }, { rejected: 'TimeoutError' }],
  ['delay and reset', { delay: 5, reset: true }, { rejected: 'TypeError' }],
];
/** The effects that change a response, so the operation has run. */
const inPhaseAfter: Effect[] = [
  ['delay', { delay: 5 }, json(201, stored)],
  ['truncate by bytes', { truncate: { bytes: 9 } }, json(201, stored.slice(0, 9), 'TypeError')],
  ['truncate to nothing', { truncate: { bytes: 0 } }, json(201, '', 'TypeError')],
  [
    'truncate by fraction',
    { truncate: { fraction: 0.5 } },
    json(201, stored.slice(0, Math.floor(stored.length / 2)), 'TypeError'),
  ],
  ['truncate nothing', { truncate: { fraction: 1 } }, json(201, stored)],
  ['drip', { drip: { bytes: 20, every: 2 } }, json(201, stored)],
  ['malformed', { malformed: true }, json(201, `${stored.slice(0, -1)},`)],
  ['empty', { empty: true }, json(201, '')],
  ['contentLength short', { contentLength: 9 }, json(201, stored.slice(0, 9))],
  ['contentLength long', { contentLength: 999 }, json(201, stored, 'TypeError')],
  [
    'contentType',
    { contentType: 'text/html' },
    { ...json(201, expect.stringMatching(page)), headers: typed('text/html') },
  ],
];

test.each([
  ...inBothPhases.map((effect) => ['before' as const, ...effect] as const),
  ...[...inBothPhases, ...inPhaseAfter].map((effect) => ['after' as const, ...effect] as const),
])('phase %s, %s is equal for clients of every adapter', async (phase, _, then, sees) => {
  const seen: Record<string, unknown>[] = [];
  for (const adapter of adapters) {
    const service = await open(adapter, {
      clock: { mode: 'real' },
      faults: [{ name: 'bad', when: { operation: 'createPet' }, then: { ...then, phase } }],
    });
    const controller = new AbortController();
    const asked = post(service, { signal: controller.signal });
    if ('hang' in then) {
      await vi.waitUntil(() => service.sim.faults.list()[0]?.applied === 1, { ...patience, interval: 1 });
      controller.abort(new DOMException('Too long.', 'TimeoutError'));
    }
    const answer = await asked;
    expect({ adapter: adapter.name, ...answer }).toEqual({ headers: answer.headers, ...sees, adapter: adapter.name });
    expect(service.sim.pets.size).toBe(phase === 'after' ? 4 : 3);
    expect(service.sim.faults.list()).toMatchObject([{ name: 'bad', seen: 1, applied: 1 }]);
    expect((await service.send('GET', '/pets')).status).toBe(200);
    // Two adapters may run in two different seconds.
    const { date, 'x-ratelimit-reset': reset, ...others } = answer.headers ?? {};
    seen.push({ ...answer, headers: others, hasDate: date !== undefined, hasReset: reset !== undefined });
    await service.close();
  }
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
});

test.each(adapters)('the $name adapter sends a header of a fault with any name', async (adapter) => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '__defineGetter__'];
  const headers = JSON.parse(`{${names.map((name) => `"${name}":"is ${name}"`).join()}}`);
  const service = await open(adapter, { faults: [{ then: { respond: { status: 503, headers } } }] });
  const answer = await service.send('GET', '/pets');
  expect(answer.status).toBe(503);
  for (const name of names) expect(answer.headers.get(name), name).toBe(`is ${name}`);
  expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(perMinute - 1));
});

test('all effects of a rule are in the table', () => {
  const names = [...inBothPhases, ...inPhaseAfter].flatMap(([, then]) => Object.keys(then));
  const all = 'respond reset close hang truncate drip malformed empty contentLength contentType delay'.split(' ');
  expect([...new Set(names)].sort()).toEqual(all.sort());
});

describe.each(adapters)('a client that gives up ($name adapter)', (adapter) => {
  test.each(['before', 'after'] as const)('during a delay rejects with its own reason; phase %s', async (phase) => {
    const formatIssues = vi.spyOn(console, 'error');
    const service = await open(adapter, { faults: [{ then: { delay: '30s', reset: true, phase } }] });
    const controller = new AbortController();
    const answer = post(service, { signal: controller.signal });
    await vi.waitUntil(() => service.sim.faults.list()[0]?.applied === 1, { ...patience, interval: 1 });
    controller.abort();
    expect(await answer).toEqual({ rejected: 'AbortError' });
    await new Promise((resolve) => setTimeout(resolve, 10));
    service.sim.clock.advance('1m');
    await new Promise((resolve) => setTimeout(resolve, 10));
    await vi.waitFor(() => expect(service.sim.pets.size).toBe(phase === 'after' ? 4 : 3), patience);
    expect(formatIssues).not.toHaveBeenCalled();
  });

  test('by AbortSignal.timeout on a hanging response rejects with a TimeoutError', async () => {
    const service = await open(adapter, { faults: [{ then: { hang: true } }] });
    expect(await post(service, { signal: AbortSignal.timeout(20) })).toEqual({ rejected: 'TimeoutError' });
  });

  test('during a drip delivers the bytes so far, and the reason', async () => {
    const service = await open(adapter, { faults: [{ then: { drip: { bytes: 10, every: '1s' } } }] });
    const controller = new AbortController();
    const answer = await service.send('GET', '/pets', { signal: controller.signal });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    expect((await reader.read()).value).toHaveLength(10);
    service.sim.clock.advance('1s');
    expect((await reader.read()).value).toHaveLength(10);
    const next = reader.read();
    controller.abort();
    await expect(next).rejects.toHaveProperty('name', 'AbortError');
    service.sim.clock.advance('1m');
  });

  test('a drip sends at its times, read or not', async () => {
    const service = await open(adapter, {
      faults: [{ when: { nth: 1 }, then: { drip: { bytes: 60, every: '1s' } } }],
    });
    const answer = await service.send('GET', '/pets');
    // The second and the third chunk wait for the clock one by one.
    for (let chunk = 2; chunk <= 3; chunk++) {
      await vi.waitUntil(() => coreOf(service.sim).state.clock.sleepers === 1, patience);
      service.sim.clock.advance('1s');
    }
    expect(await answer.json()).toHaveLength(3);
  });

  test('cancels a drip completely', async () => {
    const service = await open(adapter, {
      faults: [{ when: { nth: 1 }, then: { drip: { bytes: 1, every: '1s' } } }],
    });
    const answer = await service.send('GET', '/pets');
    // In msw, this ends only after its own copy of the body is canceled as well.
    void answer.body?.cancel();
    service.sim.clock.advance('1h');
    expect((await service.send('GET', '/pets')).status).toBe(200);
  });

  test('a reset cuts hanging and dripping responses', async () => {
    const service = await open(adapter, {
      faults: [
        { when: { operation: 'createPet' }, then: { hang: true } },
        { when: { operation: 'listPets' }, then: { drip: { bytes: 1, every: '1s' } } },
      ],
    });
    const hanging = post(service);
    const dripping = await service.send('GET', '/pets');
    const text = expect(dripping.text()).rejects.toThrow(TypeError);
    await vi.waitUntil(() => service.sim.faults.list()[0]?.applied === 1, { ...patience, interval: 1 });
    service.sim.reset();
    expect(await hanging).toEqual({ rejected: 'TypeError' });
    await text;
  });
});

describe('axios', () => {
  const ask = ({ baseUrl }: UncheckedService, adapter: 'http' | 'fetch', timeout = 10_000): Promise<AxiosError> => {
    const headers = { authorization: 'Bearer free-key' };
    return axios.get(`${baseUrl}/pets`, { adapter, headers, timeout }).catch((reason) => reason);
  };

  // msw has no code for a cut connection, so a client that expects ECONNRESET needs the HTTP adapter.
  test.each<[string, Then, { msw: string; http: string }]>([
    ['reset', { reset: true }, { msw: 'Network error', http: 'ECONNRESET' }],
    ['close', { close: true }, { msw: 'Network error', http: 'ECONNRESET' }],
    ['hang', { hang: true }, { msw: 'ECONNABORTED', http: 'ECONNABORTED' }],
    ['truncate', { truncate: { bytes: 9 } }, { msw: 'ERR_BAD_RESPONSE', http: 'ERR_BAD_RESPONSE' }],
    ['respond', { respond: { status: 503 } }, { msw: 'ERR_BAD_RESPONSE', http: 'ERR_BAD_RESPONSE' }],
  ])('reports %s by a code, otherwise by a message', async (_, then, expected) => {
    const seen: Record<string, string> = {};
    for (const adapter of adapters.filter(({ name }) => name !== 'fetch')) {
      const service = await open(adapter, { faults: [{ then }] });
      const { code, message } = await ask(service, 'http', then.hang ? 50 : undefined);
      seen[adapter.name] = code ?? message;
      await service.close();
    }
    expect(seen).toEqual(expected);
  });

  test('with its fetch adapter reports a reset like any network error', async () => {
    const [, msw] = adapters as [Adapter, Adapter];
    const error = await ask(await open(msw, { faults: [{ then: { reset: true } }] }), 'fetch');
    expect(error).toMatchObject({ name: 'AxiosError', code: 'ERR_NETWORK', message: 'Network Error' });
  });
});
