import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { createRequestLog } from '../../src/cli/request-log.js';
import type { Scenario, Simulator } from '../../src/entries/index.js';
import { listen, type OnAnswer, type RunningServer } from '../../src/entries/node.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { simulatorOf } from '../support/adapters.js';
import { noon } from '../support/frozen.js';
import { patience } from '../support/patience.js';
import {
  type RawClient,
  rawClient,
  readAnswer,
  readAnswers,
  rawRequestText as request,
} from '../support/raw-client.js';

const { minute: perMinute } = documentedPlans.free;

type Then = NonNullable<Scenario['faults']>[number]['then'];

const rex = '{"name":"Rex","categoryId":1}';
const listed =
  '[{"id":1,"name":"Rex","categoryId":1,"status":"available"},{"id":2,"name":"Milo","categoryId":2,"status":"pending"},{"id":3,"name":"Luna","categoryId":3,"status":"sold"}]';
const get = request('GET', '/pets');
const post = request('POST', '/pets', rex);

const open: { server: RunningServer; clients: RawClient[] }[] = [];
afterEach(async () => {
  for (const { server, clients } of open.splice(0)) {
    for (const client of clients) client.leave();
    await server.close();
  }
  await socketsAre(0);
});

interface Wire {
  sim: Simulator;
  server: RunningServer;
  logged: string[];
  client(options?: { stays?: boolean }): Promise<RawClient>;
}

async function serve(scenario: Scenario, onAnswer?: OnAnswer): Promise<Wire> {
  const sim = simulatorOf(scenario);
  const logged: string[] = [];
  const log: OnAnswer = ({ url }, { fault }) => void logged.push(`${url} ${fault}`);
  const server = await listen(sim, { port: 0, onAnswer: onAnswer ?? log });
  const clients: RawClient[] = [];
  open.push({ server, clients });
  return {
    sim,
    server,
    logged,
    async client(options) {
      const client = await rawClient(server.port, options);
      clients.push(client);
      return client;
    },
  };
}

/** A server on which one fault applies to all requests, or to those of `when`. */
const faulty = (then: Then, when = {}) => serve({ faults: [{ name: 'bad', when, then }] });

/** Time to wait for events that must not happen. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 25));

/** Sockets opened by this file, on either side of a connection. Another file of the worker may have left others. */
const sockets = new Set<Socket>();
function openedSocket(message: unknown): void {
  const { socket } = message as { socket: Socket };
  sockets.add(socket);
  socket.once('close', () => sockets.delete(socket));
}
for (const side of ['net.client.socket', 'net.server.socket']) {
  subscribe(side, openedSocket);
  afterAll(() => void unsubscribe(side, openedSocket));
}

/** Waits until a number of sockets are open. */
const socketsAre = (count: number) => vi.waitFor(() => expect(sockets.size).toBe(count), patience);

/** Waits until a rule was applied to a request, whose response now waits for the clock. */
const isWaiting = ({ sim }: Wire, rule = 0) => vi.waitUntil(() => sim.faults.list()[rule]?.applied === 1, patience);

/** A client that has sent requests. */
async function sent({ client }: Wire, ...texts: string[]) {
  const one = await client();
  one.write(...texts);
  return one;
}

/** Sends one request and returns its result after the server has closed the connection. */
async function outcome(wire: Wire, text = get) {
  const one = await sent(wire, text);
  await one.over();
  return one;
}

/** Disconnects while the server waits, and lets all of its waits end. */
async function leave(wire: Wire, one: RawClient) {
  await isWaiting(wire);
  await aWhile();
  expect(one.state).toBe('open');
  one.leave();
  await socketsAre(0);
  wire.sim.clock.advance('1h');
  await aWhile();
}

/** Sends one request whose response leaves the connection open, and returns its result. */
async function answer(wire: Wire, text = get) {
  const one = await sent(wire, text);
  await one.until(({ received }) => readAnswers(received).length === 1);
  return readAnswer(one.received);
}

test.each<[Then, method: string, state: string]>([
  [{ reset: true }, 'GET', 'reset'],
  [{ close: true }, 'GET', 'end'],
  [{ close: true }, 'POST', 'end'],
])('%j cuts a %s before any byte, by a RST or a FIN: %s', async (then, method, state) => {
  const { received, state: seen } = await outcome(await faulty(then), method === 'GET' ? get : post);
  expect([received, seen]).toEqual(['', state]);
});

describe('reset', () => {
  test('comes after all bytes of earlier responses on a keep-alive connection', async () => {
    const { client } = await faulty({ reset: true }, { nth: 2 });
    const one = await client();
    one.write(get);
    await one.until(({ received }) => received.endsWith(listed));
    const { length } = one.received;
    one.write(get);
    await one.over();
    expect(one.state).toBe('reset');
    expect(one.received).toHaveLength(length);
  });

  test('leaves the pet stored in phase after, and not in phase before', async () => {
    for (const phase of ['before', 'after'] as const) {
      const wire = await faulty({ reset: true, phase });
      expect((await outcome(wire, post)).state).toBe('reset');
      expect(wire.sim.pets.size).toBe(phase === 'after' ? 4 : 3);
    }
  });
});

describe('close', () => {
  test('frees the socket even if the client keeps its side open, and serves nothing more on it', async () => {
    const wire = await faulty({ close: true }, { operation: 'listPets' });
    const one = await wire.client({ stays: true });
    one.write(get);
    await one.over();
    await socketsAre(1);
    one.write(post);
    await aWhile();
    expect(one.received).toBe('');
    expect(wire.sim.pets.size).toBe(3);
  });

  test('is a FIN also for a client that is still sending its body', async () => {
    const wire = await faulty({ close: true });
    const one = await wire.client({ stays: true });
    const whole = request('POST', '/pets', ' '.repeat(300_000));
    one.write(whole.slice(0, 200_000));
    await one.over();
    expect(one.state).toBe('end');
    // The client can send all of the body. A server that had freed the socket would respond with a RST.
    for (const end of [250_000, whole.length]) {
      one.write(whole.slice(end - 50_000, end));
      await aWhile();
    }
    expect(one.state).toBe('end');
    expect(one.socket.errored).toBeNull();
  });
});

describe('hang', () => {
  test('sends nothing at any time of the clock, and frees the socket when the client disconnects', async () => {
    const wire = await faulty({ hang: true });
    const one = await sent(wire, get);
    await aWhile();
    wire.sim.clock.advance('1d');
    await aWhile();
    expect(one).toMatchObject({ received: '', state: 'open' });
    expect(sockets.size).toBe(2);
    one.leave();
    await socketsAre(0);
  });

  test('does not keep the server from closing after its grace period', async () => {
    const wire = await faulty({ hang: true });
    const one = await sent(wire, get);
    await aWhile();
    await wire.server.close({ graceMs: 50 });
    await one.over();
    expect(one.received).toBe('');
  });
});

test('a client that has connected and sends nothing does not keep the server from closing', async () => {
  const wire = await faulty({ hang: true });
  const one = await wire.client();
  await aWhile();
  // The grace period for responses in progress never ends.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  await wire.server.close();
  vi.useRealTimers();
  await one.over();
});

describe('truncate', () => {
  test.each([
    [{ bytes: 40 }, 40],
    [{ bytes: 0 }, 0],
    [{ bytes: 1 }, 1],
    [{ fraction: 0.5 }, Math.floor(listed.length / 2)],
    [{ fraction: 0 }, 0],
    [{ fraction: 1 }, listed.length],
    [{ bytes: 9_999 }, listed.length],
  ])('%j sends the full Content-Length, exactly %i bytes, then a FIN', async (truncate, bytes) => {
    const one = await outcome(await faulty({ truncate }));
    const { status, headers, body } = readAnswer(one.received);
    expect(one.state).toBe('end');
    expect(status).toBe(200);
    expect(headers.get('content-length')).toBe(String(listed.length));
    expect(headers.get('x-ratelimit-remaining')).toBe(String(perMinute - 1));
    expect(body).toBe(listed.slice(0, bytes));
  });

  test('counts bytes and not characters', async () => {
    const wire = await serve({
      pets: [{ id: 1, name: '小梅', categoryId: 1 }],
      faults: [{ when: {}, then: { truncate: { bytes: 20 } } }],
    });
    const one = await outcome(wire);
    const whole = Buffer.from('[{"id":1,"name":"小梅","categoryId":1,"status":"available"}]');
    expect(readAnswer(one.received).headers.get('content-length')).toBe(String(whole.length));
    expect(readAnswer(one.received).body).toBe(whole.toString('latin1', 0, 20));
  });
});

describe('drip', () => {
  test('sends its chunks at their times of the clock and not a millisecond early, then keeps the connection', async () => {
    const wire = await faulty({ drip: { bytes: 60, every: '50ms' } }, { nth: 1 });
    const one = await wire.client();
    const bodyIs = async (bytes: number) => {
      await one.until(({ received }) => readAnswer(received).body.length >= bytes);
      await aWhile();
      expect(readAnswer(one.received).body).toBe(listed.slice(0, bytes));
    };
    one.write(get);
    await one.until(({ received }) => received.includes('\r\n\r\n'));
    expect(readAnswer(one.received).headers.get('content-length')).toBe(String(listed.length));
    await bodyIs(60);
    wire.sim.clock.advance(49);
    await bodyIs(60);
    wire.sim.clock.advance(1);
    await bodyIs(120);
    wire.sim.clock.advance(49);
    await bodyIs(120);
    wire.sim.clock.advance(1);
    await bodyIs(listed.length);
    one.write(get);
    await one.until(({ received }) => readAnswers(received).length === 2);
    expect(one.state).toBe('open');
  });

  test('stops when the client disconnects, and leaves nothing behind', async () => {
    const wire = await faulty({ drip: { bytes: 1, every: '1s' } });
    const one = await sent(wire, get);
    await one.until(({ received }) => received.endsWith('['));
    await leave(wire, one);
    expect(sockets.size).toBe(0);
  });
});

describe('a response without a body is not affected by body faults', () => {
  const head = request('HEAD', '/pets');

  test.each<[string, Then]>([
    ['truncate, by a share', { truncate: { fraction: 0.5 } }],
    ['truncate', { truncate: { bytes: 5 } }],
    ['contentLength', { contentLength: 9_999 }],
    ['drip', { drip: { bytes: 1, every: '10s' } }],
    ['malformed', { malformed: true }],
    ['html', { contentType: 'text/html' }],
  ])('%s', async (_, then) => {
    const reset = { name: 'worse', then: { reset: true } } as const;
    const wire = await serve({ faults: [{ name: 'bad', when: { nth: 1 }, then }, reset] });
    const one = await sent(wire, head);
    await one.until(({ received }) => received.endsWith('\r\n\r\n'));
    expect(readAnswer(one.received).headers.get('content-length')).not.toBe('9999');
    expect(wire.sim.journal.query()).toMatchObject([{ isUnreadable: false, isAbandoned: false, fault: 'bad' }]);
    one.write(head);
    await one.over();
    expect(one.state).toBe('reset');
    expect(wire.sim.journal.query()[1]).toMatchObject({ isUnreadable: true, fault: 'worse' });
  });
});

describe('a faulty body', () => {
  test('malformed is the JSON without its end, with a matching Content-Length', async () => {
    const { status, headers, body } = await answer(await faulty({ malformed: true }));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json');
    expect(body).toBe(`${listed.slice(0, -1)},`);
    expect(headers.get('content-length')).toBe(String(body.length));
  });

  test('malformed bodies are invalid JSON for a list, an empty list, a pet and an error', async () => {
    const wire = await faulty({ malformed: true });
    for (const path of [
      '/pets',
      '/pets?status=sold&limit=1',
      '/pets/1',
      '/pets/9',
      '/pets?limit=0',
      '/pets?status=sold',
    ]) {
      if (path.endsWith('=sold')) wire.sim.pets.remove(3);
      const { body } = await answer(wire, request('GET', path));
      expect(() => JSON.parse(body), path).toThrow(SyntaxError);
    }
  });

  test('empty keeps the status and has no byte', async () => {
    const wire = await faulty({ empty: true });
    const { status, headers, body } = await answer(wire, post);
    expect({ status, length: headers.get('content-length'), body }).toEqual({ status: 201, length: '0', body: '' });
    expect(wire.sim.pets.size).toBe(4);
  });

  test('contentType is an HTML page instead of the JSON', async () => {
    const { status, headers, body } = await answer(await faulty({ contentType: 'text/html' }));
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html');
    expect(headers.get('x-ratelimit-limit')).toBe(String(perMinute));
    expect(body).toMatch(/^<!doctype html>/);
    expect(headers.get('content-length')).toBe(String(body.length));
  });

  test.each([7, 0, 5_000])('contentLength %i precedes the complete body, and a FIN follows', async (contentLength) => {
    const one = await outcome(await faulty({ contentLength }));
    const { headers, body } = readAnswer(one.received);
    expect(one.state).toBe('end');
    expect(headers.get('content-length')).toBe(String(contentLength));
    expect(body).toBe(listed);
  });
});

describe('respond', () => {
  test('sends status, headers and body as written, in addition to the usual headers', async () => {
    const headers = { 'Retry-After': 2, 'x-request-id': 'abc', 'Content-Type': 'application/issue+json' };
    const body = { title: 'Down', id: 9007199254740993n };
    const seen = await answer(await faulty({ respond: { status: 503, headers, body } }));
    expect(seen.status).toBe(503);
    expect(Object.fromEntries(seen.headers)).toMatchObject({
      'retry-after': '2',
      'x-request-id': 'abc',
      'content-type': 'application/issue+json',
      'x-ratelimit-limit': String(perMinute),
      'x-ratelimit-remaining': String(perMinute - 1),
      date: new Date(noon).toUTCString(),
    });
    expect(seen.body).toBe('{"title":"Down","id":9007199254740993}');
  });

  test('removes a header with null, even Date', async () => {
    const headers = { date: null, 'content-type': null, 'X-RateLimit-Reset': null };
    const seen = await answer(await faulty({ respond: { status: 500, headers } }));
    for (const name of ['date', 'content-type', 'x-ratelimit-reset']) expect(seen.headers.has(name)).toBe(false);
    expect(seen.headers.get('x-ratelimit-limit')).toBe(String(perMinute));
  });

  test.each([204, 205, 304])('with status %i has no body, and the connection continues', async (status) => {
    const wire = await faulty({ respond: { status } }, { nth: 1 });
    const one = await sent(wire, get, get);
    await one.until(({ received }) => received.endsWith(listed));
    const [first, second] = readAnswers(one.received);
    expect(first).toMatchObject({ status, body: '' });
    expect(first?.headers.get('content-length')).toBe(status === 205 ? '0' : null);
    expect(second?.status).toBe(200);
  });
});

describe('pipelined requests', () => {
  const effects: [string, Then, 'end' | 'reset' | 'open'][] = [
    ['reset', { reset: true }, 'reset'],
    ['close', { close: true }, 'end'],
    ['hang', { hang: true }, 'open'],
    ['truncate', { truncate: { bytes: 5 } }, 'end'],
    ['contentLength', { contentLength: 5_000 }, 'end'],
  ];

  test.each(effects)('%s comes after the previous response, and later requests are not run', async (_, then, ends) => {
    const wire = await faulty(then, { nth: 2 });
    const one = await sent(wire, get, get, post);
    await (ends === 'open' ? one.until(({ received }) => received.endsWith(listed)) : one.over());
    await aWhile();
    // A Node client sees a RST after some bytes as the end.
    expect(['end', 'reset', 'open'].indexOf(one.state) <= ['end', 'reset', 'open'].indexOf(ends)).toBe(true);
    expect(one.state === 'open').toBe(ends === 'open');
    const [first] = readAnswers(one.received);
    expect(first?.body).toBe(listed);
    expect(wire.sim.pets.size).toBe(3);
    expect(wire.logged).toEqual(['/v1/pets undefined', '/v1/pets bad']);
    expect(wire.sim.keys.get('free-key').minute.remaining).toBe(perMinute - 2);
  });

  test.each(effects)('%s on the first of them leaves the others without a response', async (_, then, ends) => {
    const wire = await faulty(then, { nth: 1 });
    const one = await sent(wire, get, post, get);
    if (ends === 'open') await aWhile();
    else await one.over();
    expect(readAnswers(one.received)).toEqual([]);
    expect(wire.sim.pets.size).toBe(3);
    expect(wire.logged).toEqual(['/v1/pets bad']);
  });

  test('behind a drip and a delay are answered in order', async () => {
    const wire = await serve({
      faults: [
        { when: { nth: 1 }, then: { drip: { bytes: 100, every: '1s' } } },
        { when: { nth: 1 }, then: { delay: '5s' } },
      ],
    });
    const one = await sent(wire, get, request('GET', '/pets/2'), request('GET', '/pets/3'));
    await one.until(({ received }) => readAnswer(received).body.length === 100);
    wire.sim.clock.advance('1s');
    await one.until(({ received }) => readAnswers(received).length === 1);
    await isWaiting(wire, 1);
    wire.sim.clock.advance('5s');
    await one.until(({ received }) => readAnswers(received).length === 3);
    expect(readAnswers(one.received).map(({ body }) => body.length)).toEqual([listed.length, 56, 53]);
  });

  test('that wait for their turn end with their client', async () => {
    const wire = await serve({
      faults: [
        { when: { operation: 'listPets' }, then: { delay: '1s' } },
        { when: { operation: 'createPet' }, then: { delay: '1s' } },
      ],
    });
    await leave(wire, await sent(wire, get, ...Array(12).fill(post)));
    expect(wire.sim.pets.size).toBe(3);
    expect(wire.logged).toEqual(['/v1/pets undefined']);
  });
});

test.each<[Then, stored: number]>([
  [{ delay: '30s', reset: true, phase: 'before' }, 3],
  [{ delay: '30s', reset: true, phase: 'after' }, 4],
  [{ delay: '30s' }, 3],
])('a client that disconnects during %j is logged without a response, with %i pets', async (then, stored) => {
  const wire = await faulty(then);
  await leave(wire, await sent(wire, post));
  await vi.waitFor(() => expect(wire.sim.pets.size).toBe(stored), patience);
  expect(wire.logged).toEqual(['/v1/pets undefined']);
});

describe('a delay', () => {
  test('ends at its millisecond of the clock, and Date is the time of its end', async () => {
    const wire = await faulty({ delay: '30s' });
    const one = await sent(wire, get);
    await isWaiting(wire);
    wire.sim.clock.advance(29_999);
    await aWhile();
    expect(one.received).toBe('');
    wire.sim.clock.advance(1);
    await one.until(({ received }) => received.endsWith(listed));
    const { headers } = readAnswer(one.received);
    expect(headers.get('date')).toBe(new Date(Date.parse(noon) + 30_000).toUTCString());
  });

  test('takes its time on a running clock', async () => {
    const wire = await serve({ clock: { mode: 'real' }, faults: [{ when: {}, then: { delay: '20ms' } }] });
    const one = await wire.client();
    const tookMs: number[] = [];
    for (let sent = 1; sent <= 7; sent++) {
      const startMs = performance.now();
      one.write(get);
      await one.until(({ received }) => readAnswers(received).length === sent);
      tookMs.push(performance.now() - startMs);
    }
    tookMs.sort((a, b) => a - b);
    expect(tookMs[0]).toBeGreaterThan(18.5);
  });
});

test.each<[string, Then, string, body: string]>([
  ['hang', { hang: true }, get, ''],
  ['drip', { drip: { bytes: 1, every: '1s' } }, get, '['],
  ['delay, whose operation does not run', { delay: '30s' }, post, ''],
])('a reset of the simulator cuts a %s', async (_, then, text, body) => {
  const wire = await faulty(then);
  const one = await sent(wire, text);
  if (body !== '') await one.until(({ received }) => received.endsWith(body));
  await aWhile();
  wire.sim.reset();
  await one.over();
  expect(body === '' ? one.received : readAnswer(one.received).body).toBe(body);
  wire.sim.clock.advance('1m');
  await aWhile();
  expect(wire.sim.pets.size).toBe(3);
});

test('faulty responses have CORS headers', async () => {
  const origin = 'http://localhost:5173';
  const effects: Then[] = [
    { respond: { status: 503 } },
    { malformed: true },
    { empty: true },
    { contentType: 'text/html' },
    { truncate: { bytes: 5 } },
    { contentLength: 5 },
    { drip: { bytes: 9_999, every: '1s' } },
  ];
  for (const then of effects) {
    const wire = await faulty(then);
    const one = await sent(wire, request('GET', '/pets', '', { Origin: origin }));
    await one.until(({ received }) => received.includes('\r\n\r\n'));
    const { headers } = readAnswer(one.received);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.get('access-control-expose-headers')).toContain('Retry-After');
  }
});

test('200 faulty requests leak no socket, and the server continues', async () => {
  const effects: Then[] = [
    { reset: true },
    { close: true },
    { hang: true },
    { truncate: { fraction: 0.5 } },
    { drip: { bytes: 8, every: '1s' } },
    { malformed: true },
    { empty: true },
    { contentLength: 3 },
    { delay: '1m' },
    { respond: { status: 502 } },
  ];
  const faults = effects.map((then, index) => ({ when: { key: `k${index}` }, then }));
  const keys = Object.fromEntries(effects.map((_, index) => [`k${index}`, { plan: 'pro' }]));
  const wire = await serve({ faults, keys });
  const clients = await Promise.all(Array.from({ length: 200 }, () => wire.client({ stays: true })));
  for (const [index, client] of clients.entries()) {
    client.write(request('POST', '/pets', rex, { Authorization: `Bearer k${index % effects.length}` }));
  }
  await aWhile();
  for (const client of clients) client.leave();
  await socketsAre(0);
  expect((await answer(wire)).status).toBe(200);
});

describe('the log of the server', () => {
  const lines = async (form: 'json' | 'pretty', scenario: Scenario, requests: string[]) => {
    const written: string[] = [];
    const wire = await serve(
      scenario,
      createRequestLog(form, (line) => written.push(line)),
    );
    for (const text of requests) await answer(wire, text);
    return written;
  };

  test.each(['json', 'pretty'] as const)('survives bodies that are no Error object (%s)', async (form) => {
    const bodies: Then[] = [
      { respond: { status: 503, body: 'Service Unavailable' } },
      { respond: { status: 500, body: 'null' } },
      { respond: { status: 500, body: [1] } },
      { respond: { status: 500, body: { code: 7 } } },
      { malformed: true },
      { empty: true },
      { contentType: 'text/html' },
    ];
    const faults = bodies.map((then) => ({ when: { nth: 1 }, then }));
    const bad = request('GET', '/pets?limit=0');
    const written = await lines(form, { faults }, Array(bodies.length).fill(bad));
    expect(written).toHaveLength(bodies.length);
    const html: Scenario = { hostileHeaders: { html: true }, keys: { 'free-key': { usage: { minute: 'all' } } } };
    expect(await lines(form, html, [get])).toHaveLength(1);
  });

  test('names the rule', async () => {
    const scenario: Scenario = { faults: [{ name: 'gone\u001b[2J', when: {}, then: { respond: { status: 503 } } }] };
    expect(JSON.parse((await lines('json', scenario, [get]))[0] as string)).toMatchObject({ fault: 'gone\u001b[2J' });
    const [pretty] = await lines('pretty', scenario, [get]);
    expect(pretty).toContain('fault gone?[2J');
  });
});
