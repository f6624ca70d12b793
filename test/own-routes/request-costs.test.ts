import { describe, expect, onTestFinished, test } from 'vitest';
import { createRequestLogEntries, type RequestLogEntry } from '../../src/cli/request-log-entry.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { serve } from '../../src/entries/node.js';
import { judge } from '../../src/entries/verdict.js';
import { type RouteOptions, serveRoute } from '../../src/own-routes/serve-route.js';
import { toJsonCall } from '../../src/persistence/command-json.js';
import { toPlainCall } from '../../src/requests/plain-call.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';
import { send } from '../support/plain-call.js';
import { startBackend } from '../support/start-backend.js';

const start = '2026-01-01T12:00:00.000Z';
const limited = (scenario: Scenario = {}): Scenario => ({
  clock: { start, mode: 'frozen' },
  plans: { free: { minute: 10 } },
  cost: { createPet: 6 },
  ...scenario,
});
const create = (scenario?: Scenario) => createSimulator({ scenario: limited(scenario), onWarning: () => {} });
type Sim = ReturnType<typeof create>;

const dear = (sim: Sim) => send(sim, { body: { name: 'Rex', categoryId: 1 } });
const cheap = (sim: Sim) => send(sim);
const left = ({ headers }: { headers: Record<string, string> }) => Number(headers['X-RateLimit-Remaining']);

describe('cost of an operation', () => {
  test('is charged, and a refusal says what is left and when the request is served', async () => {
    const sim = create();
    expect([left(dear(sim)), left(cheap(sim))]).toEqual([4, 3]);
    const refused = dear(sim);
    expect(refused).toMatchObject({ status: 429, headers: { 'X-RateLimit-Remaining': '3', 'Retry-After': '60' } });
    expect(refused.body).toContain('allows 10 requests a minute, and this request counts as 6; retry in 60 seconds');
    expect(left(cheap(sim))).toBe(2);
    sim.clock.advance('60s');
    expect(dear(sim).status).toBe(201);
    const { entries } = createControl(sim).queryJournal({ status: 429 });
    expect(entries).toMatchObject([
      { cost: 6, usage: { used: 7, limit: 10 }, inShort: 'minute has 3 left for a request of 6, wait 1:00' },
    ]);
    const server = await openServer(sim);
    const { entries: listed } = await createControl(server.controlUrl).queryJournal({});
    expect(listed.map(({ cost }) => cost)).toEqual([6, undefined, 6, undefined, 6]);
    const { why } = createControl(sim).getRequest({ id: 3 });
    expect(why?.map(({ text }) => text)).toContainEqual(
      expect.stringContaining('minute: 7 of 10 used, the request counts as 6'),
    );
  });

  test('zero is never refused and uses nothing; without cost nothing has a field for it', () => {
    const sim = create({ cost: { listPets: 0 }, keys: { 'free-key': { usage: { minute: 'all' } } } });
    expect([cheap(sim).status, dear(sim).status, cheap(sim).status]).toEqual([200, 429, 200]);
    const plain = create({ cost: {} });
    cheap(plain);
    expect(JSON.stringify(createControl(plain).queryJournal())).not.toContain('"cost"');
  });

  test('above a limit is a mistake of the scenario, as is an unknown operation', () => {
    expect(() => create({ cost: { createPet: 11 } })).toThrow(
      'cost.createPet: expected at most the limit of plan free (10 for minute), got 11',
    );
    expect(() => create({ cost: { creatPet: 2 } })).toThrow('did you mean createPet?');
    expect(() => create({ cost: 'X-Cost' as never })).toThrow('expected');
  });
});

describe('a refusal with requests left', () => {
  test('binds only requests that cost as much, for strikes and bans', () => {
    const sim = create({ ban: { after: 3, grace: 0 } });
    dear(sim);
    for (const wait of [2_000, 2_000, 2_000]) {
      expect(dear(sim).status).toBe(429);
      sim.clock.advance(wait);
      expect(cheap(sim).status).toBe(200);
    }
    // The cheap requests between clear no strikes: the fourth early repetition is the third strike.
    const banned = dear(sim);
    expect([banned.status, banned.refusal]).toEqual([429, 'ban']);
  });

  test('is obeyed by a client that sends only cheaper requests, and broken by an early repetition', () => {
    const obeyed = create();
    dear(obeyed);
    dear(obeyed);
    obeyed.clock.advance('2s');
    expect(cheap(obeyed).status).toBe(200);
    obeyed.clock.advance('60s');
    expect(dear(obeyed).status).toBe(201);
    expect(judge(obeyed, { isOver: true }).findings.map(({ code }) => code)).not.toContain('early-retry');
    const broken = create();
    dear(broken);
    dear(broken);
    broken.clock.advance('2s');
    dear(broken);
    expect(judge(broken, { isOver: true }).findings.map(({ code }) => code)).toContain('early-retry');
  });
});

test('a ban promises the second at which the request has room', () => {
  const sim = create({ windows: { minute: '60s' }, ban: { after: 1, grace: 0, for: '10s' } });
  dear(sim);
  dear(sim);
  sim.clock.advance('1s');
  expect(dear(sim)).toMatchObject({ refusal: 'ban', headers: { 'Retry-After': '59' } });
});

test('the log names the wait of a dear request', async () => {
  const sim = create();
  const entries: RequestLogEntry[] = [];
  const toEntry = createRequestLogEntries();
  const server = await openServer(sim, { onAnswer: (...of) => void entries.push(toEntry(...of)) });
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
  for (let nth = 0; nth < 2; nth++)
    await (await fetch(`${server.baseUrl}/pets`, { method: 'POST', body, headers })).text();
  expect(entries[1]).toMatchObject({ status: 429, remaining: 4, servedAgainAt: '2026-01-01T12:01:00.000Z' });
});

describe('a handler', () => {
  const headers = { authorization: 'Bearer free-key' };
  const order = (sim: Sim, cost: RouteOptions['cost'], size = 1) =>
    serveRoute(
      sim,
      new Request(`http://own.test/v1/orders?size=${size}`, { headers }),
      () => Response.json({ ok: true }),
      { operation: 'order', cost },
    );

  test('states its cost as a number or a function of the request', async () => {
    const sim = create({ cost: {} });
    expect((await order(sim, 4)).headers.get('x-ratelimit-remaining')).toBe('6');
    const bySize = ({ url }: Request) => Number(new URL(url).searchParams.get('size'));
    expect((await order(sim, bySize, 5)).headers.get('x-ratelimit-remaining')).toBe('1');
    expect((await order(sim, bySize, 2)).status).toBe(429);
    await expect(order(sim, -1)).rejects.toThrow('expected the cost of order to be a whole number from 0, got -1');
  });

  test('gets a 400 without a wait for a cost above the limit, which is no strike', async () => {
    const sim = create({ cost: {} });
    const refused = await order(sim, 11);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([400, null]);
    expect(await refused.json()).toMatchObject({ message: expect.stringContaining('counts as 11; no wait helps') });
    expect(sim.keys.get('free-key').strikes).toBe(0);
    expect(left(cheap(sim))).toBe(9);
  });
});

test('a backend states the cost in a header of its response, also after a restart from the log', async () => {
  const costs = ['7', '5.2', '1', undefined];
  const backend = await startBackend((_request, response) => {
    const cost = costs.shift();
    response
      .writeHead(200, { 'content-type': 'application/json', ...(cost && { 'X-Request-Charge': cost }) })
      .end('[]');
  });
  const data = newFolder();
  const scenario = limited({ cost: 'header x-request-charge' });
  const open = () => serve({ data, port: 0, scenario, upstream: backend.url });
  let server = await open();
  const ask = async () => {
    const response = await fetch(`${new URL(server.baseUrl).origin}/things`, {
      headers: { authorization: 'Bearer free-key' },
    });
    await response.text();
    return [response.status, response.headers.get('x-ratelimit-remaining')];
  };
  // 7, then 6: three above the limit. All later requests wait for the window.
  expect([await ask(), await ask(), await ask()]).toEqual([
    [200, '3'],
    [200, '0'],
    [429, '0'],
  ]);
  await server.close({ graceMs: 0 });
  server = await open();
  onTestFinished(() => server.close({ graceMs: 0 }));
  expect(await ask()).toEqual([429, '0']);
});

describe('a field of the JSON body states the cost', () => {
  const answering = async (respond: Parameters<typeof startBackend>[0]) => {
    const { url } = await startBackend(respond);
    const server = await openServer(create({ cost: 'body usage.total_tokens' }), { upstream: url });
    const to = `${new URL(server.baseUrl).origin}/chat`;
    return () => fetch(to, { method: 'POST', headers: { authorization: 'Bearer free-key' } });
  };
  const leftOf = ({ headers }: Response) => headers.get('x-ratelimit-remaining');
  const json = { 'content-type': 'application/json; charset=utf-8' };

  test('which is charged like that of a header', async () => {
    const bodies = [{ usage: { total_tokens: 4 } }, { usage: null }, { usage: { total_tokens: '2.5' } }, [], 'x'];
    const ask = await answering((_request, response) =>
      response.writeHead(200, json).end(JSON.stringify(bodies.shift())),
    );
    const seen: unknown[] = [];
    for (let nth = 0; nth < 5; nth++) seen.push(leftOf(await ask()));
    expect(seen).toEqual(['6', '5', '2', '1', '0']);
    expect((await ask()).status).toBe(429);
  });

  test('also at the end of a long or pausing body', async () => {
    const padding = 'x'.repeat(3_000_000);
    const tail = `"usage":{"total_tokens":7}}`;
    const ask = await answering((_request, response) => {
      response.writeHead(200, json).write(`{"padding":"${padding}",`);
      setTimeout(() => response.end(tail), 120);
    });
    const response = await ask();
    expect([leftOf(response), (await response.text()).length]).toEqual(['3', padding.length + tail.length + 14]);
  });

  test('but not in a stream of events, which is passed on as it comes', async () => {
    let end = () => {};
    const ask = await answering((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n');
      end = () => response.end('data: {"usage":{"total_tokens":7}}\n\n');
    });
    const response = await ask();
    expect(leftOf(response)).toBe('9');
    end();
    expect(await response.text()).toContain('total_tokens');
  });

  test('whose path is checked', () => {
    for (const cost of ['body', 'body a..b', 'body .a', 'bodies a'])
      expect(() => create({ cost: cost as never })).toThrow('expected header NAME or body PATH');
  });
});

test('the log has the cost of a handler', () => {
  const route = { operation: 'order', cost: 4, start() {} };
  const call = {
    method: 'GET',
    path: '/orders',
    query: '',
    baseUrl: '',
    header: () => undefined,
    body: undefined,
    route,
  };
  expect(toJsonCall(toPlainCall(call)).route).toEqual({ operation: 'order', isWrite: undefined, cost: 4 });
});

test('an exported state keeps which requests a refusal binds', () => {
  const sim = create({ ban: { after: 2, grace: 0 } });
  dear(sim);
  dear(sim);
  sim.clock.advance('1s');
  expect([dear(sim).refusal, sim.keys.get('free-key').strikes]).toEqual(['limit', 1]);
  const exported = JSON.parse(JSON.stringify(createControl(sim).exportState()));
  const copy = create({ ban: { after: 2, grace: 0 } });
  createControl(copy).importState(exported);
  expect(cheap(copy).status).toBe(200);
  expect(dear(copy).refusal).toBe('ban');
});
