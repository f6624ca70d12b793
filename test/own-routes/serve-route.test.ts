import { describe, expect, test, vi } from 'vitest';
import { createSimulator, type Scenario, type Simulator, serveRoute } from '../../src/entries/index.js';
import { guarded } from '../../src/entries/msw.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { deferred } from '../support/deferred.js';
import { noon } from '../support/frozen.js';
import { patience } from '../support/patience.js';
import { send } from '../support/plain-call.js';

const frozen: Scenario = { clock: { mode: 'frozen', start: noon } };

/** Creates a simulator, and a client for custom routes of the simulator. */
function routeOf(scenario: Scenario = {}) {
  const errors: unknown[] = [];
  const sim = createSimulator({
    scenario: { ...frozen, ...scenario },
    onError: (error) => void errors.push(error),
    onWarning: () => {},
    operations: ['placeOrder', 'listCategories'],
  });
  return { sim, errors, ask: (path: string, asked?: Asked) => askOf(sim, path, asked) };
}

interface Asked extends RequestInit {
  respond?: () => Response | Promise<Response>;
  operation?: string;
  params?: Record<string, string>;
}

const askOf = (
  sim: Simulator,
  path: string,
  { respond = () => Response.json([]), operation, params, ...init }: Asked = {},
) =>
  serveRoute(
    sim,
    new Request(`http://petstore.test${path}`, {
      ...init,
      headers: { authorization: 'Bearer free-key', ...init.headers },
    }),
    respond,
    { operation, params },
  );

const post = (respond: () => Response | Promise<Response>): Asked => ({
  method: 'POST',
  body: '{"pet":1}',
  operation: 'placeOrder',
  respond,
});
const stored = () => Response.json({ id: 7, pet: 1 }, { status: 201 });

describe('a custom route', () => {
  test('shares authentication, limits and journal with the API', async () => {
    const { sim, ask } = routeOf({ keys: { 'free-key': { usage: { minute: 58 } } } });
    const run = vi.fn(() => Response.json(['dogs'], { headers: { 'X-Own': 'yes', 'X-RateLimit-Remaining': '7' } }));
    const category = { respond: run, operation: 'listCategories' };
    const served = await ask('/v1/categories?x=1', category);
    expect([served.status, await served.json(), served.headers.get('x-own')]).toEqual([200, ['dogs'], 'yes']);
    expect(served.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(send(sim).status).toBe(200);
    const refused = await ask('/v1/categories', category);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await ask('/v1/categories', { ...category, headers: { authorization: 'Bearer nobody' } })).status).toBe(
      401,
    );
    expect(run).toHaveBeenCalledTimes(1);
    const rows = sim.journal.query().map(({ operation, method, path, status }) => [operation, method, path, status]);
    expect(rows).toEqual([
      ['listCategories', 'GET', '/categories', 200],
      ['listPets', 'GET', '/pets', 200],
      ['listCategories', 'GET', '/categories', 429],
      ['listCategories', 'GET', '/categories', 401],
    ]);
  });

  test.each([
    ['/v1/categories', {}, 'GET /v1/categories'],
    ['/v1/pets/7/toys/7', { petId: '7', toyId: '7' }, 'GET /v1/pets/{petId}/toys/{toyId}'],
    ['/v1/names/a%20b', { name: 'a b' }, 'GET /v1/names/{name}'],
    ['/elsewhere/1', { id: '1' }, 'GET /elsewhere/{id}'],
  ])('is named by method and path if it has no name: %s', async (path, params, operation) => {
    const { sim, ask } = routeOf();
    await ask(path, { params });
    expect(sim.journal.query()).toMatchObject([{ operation }]);
  });

  test('records bodies in the journal, with base64 for binary bodies', async () => {
    const { sim, ask } = routeOf();
    const bytes = Uint8Array.of(255, 0, 254);
    const answer = await ask('/v1/photos', { ...post(() => new Response(bytes, { status: 201 })), body: bytes });
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
    expect(sim.journal.query()).toMatchObject([
      { requestBody: { base64: '/wD+' }, responseBody: { base64: '/wD+' }, isWrite: true },
    ]);
  });

  test('passes chunks of a stream on at once, and records the body at the end', async () => {
    const { sim, ask } = routeOf();
    let push: (text: string | undefined) => void = () => {};
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        push = (text) => (text === undefined ? controller.close() : controller.enqueue(new TextEncoder().encode(text)));
      },
    });
    const answer = await ask('/v1/events', { respond: () => new Response(body) });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    push('one');
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('one');
    expect(sim.journal.query()[0]?.responseBody).toBe('');
    push('two');
    push(undefined);
    await reader.read();
    expect((await reader.read()).done).toBe(true);
    expect(sim.journal.query()).toMatchObject([{ status: 200, responseBody: 'onetwo', isAbandoned: false }]);
  });

  test('responds with 500 if the function throws, with the error only in the log', async () => {
    const { sim, errors, ask } = routeOf();
    const failed = await ask('/v1/categories', {
      respond: () => {
        throw new Error('no such table');
      },
    });
    expect([failed.status, await failed.text()]).toEqual([500, expect.not.stringContaining('table')]);
    expect(errors).toMatchObject([{ message: 'no such table' }]);
    const others = { undefined: undefined, null: null, 'a value of type string': 'text' };
    for (const [shown, value] of Object.entries(others)) {
      expect((await ask('/v1/categories', { respond: (() => value) as never })).status).toBe(500);
      expect(String(errors.at(-1))).toContain(`to return a Response, got ${shown}`);
    }
    expect(sim.journal.query().map(({ status }) => status)).toEqual([500, 500, 500, 500]);
  });

  test('responds with 504 if the function takes 30 s', async () => {
    vi.useFakeTimers();
    vi.resetModules();
    try {
      const { createSimulator, serveRoute } = await import('../../src/entries/index.js');
      const sim = createSimulator({ scenario: frozen, onWarning: () => {} });
      const request = new Request('http://petstore.test/v1/slow', { headers: { authorization: 'Bearer free-key' } });
      const answer = serveRoute(sim, request, () => new Promise(() => {}));
      await vi.advanceTimersByTimeAsync(29_999);
      expect(sim.journal.pending).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect((await answer).status).toBe(504);
      expect(sim.journal.query()).toMatchObject([{ status: 504, storedId: undefined }]);
    } finally {
      vi.useRealTimers();
      vi.resetModules();
    }
  });

  test('rejects a value that is not a simulator, and unknown options', async () => {
    const request = new Request('http://petstore.test/v1/x');
    const respond = () => Response.json([]);
    await expect(serveRoute({} as never, request, respond)).rejects.toThrow('expected a simulator of createSimulator');
    await expect(serveRoute(createSimulator(), request, respond, { name: 'x' } as never)).rejects.toThrow('name');
  });
});

describe('fault rules on a custom route', () => {
  const rule = (then: object): Scenario => ({ faults: [{ name: 'own', when: { operation: 'placeOrder' }, then }] });
  const count = (respond = stored) => vi.fn(respond);

  test('replace the response before or after the function runs', async () => {
    for (const [phase, runs] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      const { sim, ask } = routeOf(rule({ respond: { status: 503 }, phase }));
      const run = count();
      expect((await ask('/v1/orders', post(run))).status).toBe(503);
      expect(run).toHaveBeenCalledTimes(runs);
      expect(sim.journal.query()).toMatchObject([
        { fault: 'own', status: 503, storedId: runs === 1 ? '7' : undefined },
      ]);
    }
  });

  test.each([
    [{ empty: true }, ''],
    [{ contentType: 'text/html' }, expect.stringContaining('<html')],
  ])('change the body: %j', async (then, body) => {
    const { ask } = routeOf(rule(then));
    expect(await (await ask('/v1/orders', post(stored))).text()).toEqual(body);
  });

  test('refuse a body of more than 10 MiB that they would change', async () => {
    const { ask, errors } = routeOf(rule({ malformed: true }));
    const most = 10 * 1024 * 1024;
    const statusOf = async (bytes: number) =>
      (
        await ask(
          '/v1/orders',
          post(() => new Response('x'.repeat(bytes), { status: 201 })),
        )
      ).status;
    expect([await statusOf(most), await statusOf(most + 1)]).toEqual([201, 500]);
    expect(errors).toMatchObject([
      { message: expect.stringContaining(`at most ${most} bytes under a fault rule or a cost in the body`) },
    ]);
  });

  test('delay the response, and run the function once before or after the delay', async () => {
    for (const phase of ['before', 'after'] as const) {
      const { sim, ask } = routeOf(rule({ delay: '5s', phase }));
      const run = count();
      const answer = ask('/v1/orders', post(run));
      await vi.waitFor(() => expect(sim.journal.pending).toBe(1), patience);
      if (phase === 'after') await vi.waitFor(() => expect(run).toHaveBeenCalled(), patience);
      else expect(run).not.toHaveBeenCalled();
      await vi.waitUntil(() => coreOf(sim).state.delayed.length === 1, patience);
      await sim.clock.advance('5s');
      expect((await answer).status).toBe(201);
      expect(run).toHaveBeenCalledTimes(1);
    }
  });
});

describe('names of custom operations', () => {
  const rule = (operation: string): Scenario => ({ faults: [{ when: { operation }, then: { empty: true } }] });

  test('are rejected if unknown, with a list of the known names', () => {
    const message =
      'scenario at faults[0].when.operation: expected "listPets", "createPet", "getPet", "placeOrder", or the method and path of your own route, such as "GET /v1/orders", got "placeOrdr"; did you mean placeOrder?';
    const create = (operation: string) => createSimulator({ scenario: rule(operation), operations: ['placeOrder'] });
    expect(() => create('placeOrdr')).toThrow(message);
    const sim = create('placeOrder');
    expect(() => sim.load(rule('placeOrdr'))).toThrow(message);
    expect(() => sim.faults.add(rule('placeOrdr').faults?.[0] as never)).toThrow('when.operation: expected "listPets"');
    expect(() => create('GET /v1/orders/{id}')).not.toThrow();
    for (const scenario of [
      { limits: { appliesTo: ['x'] } },
      { client: { operation: 'x' } },
      { assumptions: { limitsApply: ['x'] } },
    ])
      expect(() => createSimulator({ scenario })).toThrow('expected "listPets", "createPet", "getPet", or');
  });

  test('with the method and path of an operation mean the operation, for faults and limits', async () => {
    const faults: Scenario['faults'] = [
      { when: { operation: 'GET /v1/pets/{id}' }, then: { respond: { status: 503 } } },
    ];
    const { sim, ask } = routeOf({ faults, limits: { appliesTo: ['get /pets/{id}'] } });
    expect(sim.faults.list()[0]?.definition.when).toEqual({ operation: 'GET /v1/pets/{id}' });
    expect((await ask('/v1/pets/1', { params: { petId: '1' } })).status).toBe(503);
    expect(sim.journal.query().at(-1)?.operation).toBe('GET /v1/pets/{petId}');
    expect((await ask('/v1/pets', {})).status).toBe(200);
    expect(send(sim, { path: '/pets/1' }).status).toBe(503);
    expect(sim.keys.get('free-key').minute.remaining).toBe(58);
  });

  test('are known if a guarded route uses them', () => {
    const sim = createSimulator();
    guarded(sim, 'cancelOrder', () => Response.json([]));
    sim.load(rule('cancelOrder'));
    expect(sim.faults.list()).toHaveLength(1);
  });

  test('restrict the limits if listed in appliesTo', async () => {
    const { sim, ask } = routeOf({ limits: { appliesTo: ['placeOrder'] } });
    await ask('/v1/orders', post(stored));
    await ask('/v1/categories', { operation: 'listCategories' });
    send(sim);
    expect(sim.keys.get('free-key').minute.remaining).toBe(59);
  });
});

describe('a reset and a disconnect', () => {
  test('a reset discards the response of a running function', async () => {
    const { sim, ask } = routeOf();
    const { promise, resolve } = deferred<Response>();
    const answer = ask(
      '/v1/orders',
      post(() => promise),
    );
    await vi.waitFor(() => expect(sim.journal.pending).toBe(1), patience);
    sim.reset();
    expect(coreOf(sim).state.running.size).toBe(0);
    expect((await answer).type).toBe('error');
    resolve(stored());
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([sim.journal.pending, sim.journal.query()]).toEqual([0, []]);
  });

  test('the journal records the stored resource of a client that disconnected', async () => {
    const { sim, ask } = routeOf();
    const client = new AbortController();
    const { promise, resolve } = deferred<Response>();
    const answer = ask('/v1/orders', {
      ...post(() => promise),
      signal: client.signal,
    });
    await vi.waitFor(() => expect(sim.journal.pending).toBe(1), patience);
    client.abort();
    expect((await answer).type).toBe('error');
    resolve(stored());
    await vi.waitFor(() => expect(sim.journal.query()).toMatchObject([{ status: 0, storedId: '7' }]), patience);
    expect(sim.journal.pending).toBe(0);
  });
});
