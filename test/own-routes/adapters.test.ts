import { HttpResponse, http } from 'msw';
import { describe, expect, test, vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Fault, type Scenario, type Simulator, serveRoute } from '../../src/entries/index.js';
import { guarded, handlers } from '../../src/entries/msw.js';
import { judge } from '../../src/entries/verdict.js';
import { noon } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { interceptRequests } from './intercepted.js';

const routes = (sim: Simulator, stored: string[] = []) => [
  http.get(
    '*/v1/categories',
    guarded(sim, 'listCategories', () => HttpResponse.json([{ id: 1 }])),
  ),
  http.post(
    '*/v1/categories',
    guarded(sim, 'createCategory', async ({ request }) => {
      stored.push(await request.text());
      return HttpResponse.json({ id: stored.length }, { status: 201 });
    }),
  ),
];

const intercept = interceptRequests();

type Ask = (path: string, init?: RequestInit) => Promise<Response>;
const authorization = 'Bearer free-key';
const withKey = (init: RequestInit = {}) => ({ ...init, headers: { authorization, ...init.headers } });

/** Starts the routes on an adapter; `stored` receives the request bodies of stored resources. */
const adapters: [string, (sim: Simulator, stored: string[]) => Promise<Ask>][] = [
  [
    'the HTTP server',
    async (sim, stored) => {
      // `fetch` may use two connections, like two callers. Delayed rejections show that a single caller read them.
      const options = { holdRefusals: true, handlers: (each: Simulator) => routes(each, stored) as never };
      const { baseUrl } = await openServer(sim, options);
      return (path, init) => fetch(baseUrl + path, withKey(init));
    },
  ],
  [
    'msw',
    async (sim, stored) => {
      intercept(...routes(sim, stored), ...handlers(sim));
      return (path, init) => fetch(`https://api.petstore.example/v1${path}`, withKey(init));
    },
  ],
  [
    'serveRoute',
    async (sim, stored) => async (path, init) => {
      const request = new Request(`https://api.petstore.example/v1${path}`, withKey(init));
      const isPost = request.method === 'POST';
      const response = await serveRoute(
        sim,
        request,
        async () => {
          if (!isPost) return Response.json([{ id: 1 }]);
          stored.push(await request.text());
          return Response.json({ id: stored.length }, { status: 201 });
        },
        { operation: isPost ? 'createCategory' : 'listCategories' },
      );
      if (response.type === 'error') throw new TypeError('Failed to fetch');
      return response;
    },
  ],
];

const simulator = (scenario: Scenario = {}) =>
  createSimulator({
    scenario: { clock: { start: noon, mode: 'frozen' }, ...scenario },
    operations: ['listCategories', 'createCategory'],
    onWarning: () => {},
  });

const rule = (then: Fault['then'], operation = 'createCategory'): Scenario => ({
  faults: [{ name: 'own', when: { operation }, then }],
});
const post = { method: 'POST', body: '{"name":"Fish"}' };

describe.each(adapters)('a custom operation with %s', (_, start) => {
  test('the journal has all five calls, and the verdict names the early retry, with two calls left', async () => {
    const sim = simulator({ keys: { 'free-key': { usage: { minute: 58 } } } });
    const ask = await start(sim, []);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await ask('/categories')).status);
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    expect(sim.journal.query().map(({ operation }) => operation)).toEqual(Array(5).fill('listCategories'));
    const verdict = judge(sim, { isOver: true });
    expect([verdict.outcome, verdict.findings[0]?.code, verdict.counts.requests]).toEqual(['fail', 'early-retry', 5]);
  });

  test('each attempt is stored and judged if the response is lost after the write', async () => {
    const sim = simulator({
      faults: [{ name: 'own', when: { operation: 'createCategory', nth: 1 }, then: { reset: true, phase: 'after' } }],
    });
    const stored: string[] = [];
    const ask = await start(sim, stored);
    await expect(ask('/categories', post)).rejects.toThrow();
    expect((await ask('/categories', post)).status).toBe(201);
    expect(stored).toEqual([post.body, post.body]);
    expect(sim.journal.query()).toMatchObject([
      { fault: 'own', storedId: '1', requestBody: post.body },
      { storedId: '2', requestBody: post.body, responseBody: '{"id":2}' },
    ]);
    expect(judge(sim, { isOver: true }).findings.map(({ code }) => code)).toEqual(['duplicate-write']);
  });

  test('fault rules truncate, slow down and corrupt the response', async () => {
    const texts: unknown[] = [];
    for (const then of [
      { truncate: { bytes: 3 } },
      { malformed: true },
      { drip: { bytes: 4, every: '1ms' } },
      { contentType: 'text/html' },
    ] as const) {
      const sim = simulator({ ...rule(then), clock: {} });
      const ask = await start(sim, []);
      const response = await ask('/categories', post);
      texts.push(await response.text().catch((error) => error.name));
    }
    expect(texts).toEqual(['TypeError', '{"id":1,', '{"id":1}', expect.stringContaining('<html')]);
  });

  test('the function does not run if a fault rule responds first', async () => {
    const stored: string[] = [];
    const sim = simulator(rule({ respond: { status: 503, headers: { 'Retry-After': '7' } } }));
    const ask = await start(sim, stored);
    const response = await ask('/categories', post);
    expect([response.status, response.headers.get('retry-after'), stored]).toEqual([503, '7', []]);
  });
});

test('custom operations appear in the control API, sandboxes and HAR, and a reset restarts their data', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const sim = simulator();
  let made = 0;
  const { baseUrl, controlUrl } = await openServer(sim, {
    handlers: (each) => {
      made++;
      return routes(each) as never;
    },
  });
  const control = createControl(controlUrl);
  const box = baseUrl.replace('/v1', '/s/box/v1');
  const create = async (url: string) => (await fetch(`${url}/categories`, withKey(post))).json();
  expect([await create(baseUrl), await create(baseUrl), await create(box)]).toEqual([{ id: 1 }, { id: 2 }, { id: 1 }]);
  expect(made).toBe(2);
  expect(await control.countRequests({ operation: 'createCategory' } as never)).toMatchObject({ count: 2 });
  const { entries } = await control.queryJournal({ operation: 'createCategory' });
  expect(entries[1]).toMatchObject({ operation: 'createCategory', status: 201, path: '/categories' });
  expect(await (await fetch(`${controlUrl}/journal.har`)).text()).toContain('/v1/categories');
  expect((await control.sandbox('box').queryJournal({})).entries).toHaveLength(1);
  await control.reset();
  expect([await create(baseUrl), await create(box)]).toEqual([{ id: 1 }, { id: 2 }]);
  vi.restoreAllMocks();
});
