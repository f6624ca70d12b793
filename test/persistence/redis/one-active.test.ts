// @module-tag needs/redis
import { once } from 'node:events';
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Called, call, callAll, statuses } from '../../replicas/calls.js';
import { type Store, startStore } from '../../replicas/store.js';
import { startWire } from '../../replicas/wire.js';
import { patience } from '../../support/patience.js';
import { type RawClient, rawClient, rawRequestText } from '../../support/raw-client.js';
import { type SharedServer, startShared } from './shared-server.js';

let store: Store;
beforeAll(async () => {
  store = await startStore({ settings: ['--appendfsync', 'always'] });
});

const rex = (name = 'Rex') => ({ name, categoryId: 1 });
const create = ({ origin }: SharedServer, name?: string): Promise<Called> =>
  call(`${origin}/v1/pets`, { key: 'business-key', body: rex(name) });
const namesOf = async ({ control }: SharedServer) =>
  ((await control.exportState()).pets as { name: string }[]).map(({ name }) => name);
const isActive = ({ role }: SharedServer) => role.startsWith('active');
const untilActive = (server: SharedServer) => vi.waitUntil(() => isActive(server), patience);

/** Starts the active server of a log, and standbys. */
async function start(name: string, standbys = 1): Promise<[SharedServer, ...SharedServer[]]> {
  const active = await startShared(store, { name });
  const others = Array.from({ length: standbys }, () => startShared(store, { name }));
  return [active, ...(await Promise.all(others))];
}

test('four servers accept exactly the limit of 2,000 parallel requests, and have one journal', async () => {
  const servers = await start('limit', 3);
  expect(servers.map(isActive)).toEqual([true, false, false, false]);
  // Not all connections at once, which a busy machine would not accept in time.
  const agents = servers.map(() => new Agent({ keepAlive: true, maxSockets: 25 }));
  const answers = await callAll(
    servers.map(({ origin }) => origin),
    2_000,
    '/v1/pets?limit=1',
    (index) => ({ agent: agents[index % 4] as Agent }),
  );
  for (const agent of agents) agent.destroy();
  expect(statuses(answers)).toEqual({ 200: 60, 429: 1_940 });
  for (const { control } of servers) expect((await control.countRequests()).count).toBe(2_000);
});

test('health names the active server, its start and the silence of the store', async () => {
  const [active, standby] = await start('health');
  for (const { control } of [active, standby as SharedServer]) {
    const { log } = await control.getHealth();
    expect(log).toMatchObject({ engine: 'redis', name: 'health', active: new URL(active.origin).host, notices: [] });
    expect(Math.abs(Date.now() - (log?.activeSinceMs ?? 0))).toBeLessThan(60_000);
    expect(log?.silentMs).toBeLessThan(10_000);
  }
});

describe('through a standby', () => {
  let servers: SharedServer[];
  beforeAll(async () => {
    servers = await start('bytes');
  });
  const both = <T>(read: (server: SharedServer) => Promise<T>): Promise<[T, T]> =>
    Promise.all(servers.map(read)) as Promise<[T, T]>;
  /** Bytes without the fields that differ between two requests. */
  const alike = ({ received, state }: RawClient) => [
    received.replace(/^(?:Date|X-RateLimit-\w+|X-Request-Id): .*\r\n/gim, '').replace(/"id":\d+/g, '"id":0'),
    state,
  ];

  test.each([
    ['reset', { reset: true }],
    ['a reset after the operation', { reset: true, phase: 'after' }],
    ['close', { close: true }],
    ['a truncated body', { truncate: { bytes: 20 } }],
    ['a short Content-Length', { contentLength: 5 }],
    ['a long Content-Length', { contentLength: 5_000 }],
    ['malformed JSON', { malformed: true }],
    ['an empty response', { empty: true }],
    ['a slow body', { drip: { bytes: 40, every: '20ms' } }],
    ['a response in place of the API', { respond: { status: 503, headers: { 'Retry-After': '2' } } }],
  ])('%s ends as at the active server, with the same bytes', async (_what, then) => {
    const { control } = servers[0] as SharedServer;
    await control.reset();
    // biome-ignore lint/suspicious/noExplicitAny: one of many kinds
    await control.addFault({ then: then as any });
    const [atActive, atStandby] = await both(async ({ port }) => {
      const client = await rawClient(port);
      client.write(rawRequestText('GET', '/pets?limit=2', '', { Connection: 'close' }));
      await client.over();
      return alike(client);
    });
    expect(atStandby).toEqual(atActive);
  });

  test('pipelined requests get responses in order, and a delayed one ends with the client', async () => {
    const { control } = servers[0] as SharedServer;
    await control.reset();
    const { port } = servers[1] as SharedServer;
    const client = await rawClient(port);
    client.write(rawRequestText('POST', '/pets', '{"name":"One","categoryId":1}'), rawRequestText('GET', '/pets/41'));
    await client.until(({ received }) => received.split('"name":"One"').length === 3);
    expect(client.received.indexOf('HTTP/1.1 201')).toBeLessThan(client.received.indexOf('HTTP/1.1 200'));
    await control.addFault({ then: { delay: '1h' } });
    client.write(rawRequestText('GET', '/pets/41'));
    await vi.waitUntil(async () => (await control.listFaults())[0]?.applied === 1, patience);
    client.leave();
    await vi.waitUntil(async () => (await control.countRequests()).count === 3, patience);
    expect((await control.queryJournal()).entries.at(-1)).toMatchObject({ status: 0 });
  });

  test('events arrive', async () => {
    const { control } = servers[0] as SharedServer;
    await control.reset();
    const { origin } = servers[1] as SharedServer;
    const leave = new AbortController();
    const { body } = await fetch(`${origin}/__sim/events`, { signal: leave.signal });
    await call(`${origin}/v1/pets/7`);
    let text = '';
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) {
      text += new TextDecoder().decode(bytes);
      if (text.includes('"path":"/v1/pets/7"') || text.includes('/pets/7')) break;
    }
    leave.abort();
  });
});

test('after the end of the active server, a standby continues with all of its state', async () => {
  const [active, standby] = (await start('end')) as [SharedServer, SharedServer];
  await active.control.changeClock({ set: '2030-01-01T00:00:00Z' });
  await active.control.changeClock({ freeze: true });
  await active.control.banKey({ key: 'free-key', for: '1h' });
  await active.control.createSandbox({ name: 'own' });
  expect((await create(active, 'kept')).status).toBe(201);
  const stateOf = ({ control }: SharedServer) => Promise.all([control.getClock(), control.getKey({ key: 'free-key' })]);
  const before = await stateOf(active);
  const ended = active.close(1_500);
  // Waits for the next active server.
  const [made] = await Promise.all([create(standby, 'next'), ended]);
  expect(made).toMatchObject({ status: 201, body: expect.stringContaining('"id":42') });
  expect(isActive(standby)).toBe(true);
  expect(await stateOf(standby)).toEqual(before);
  expect((await namesOf(standby)).slice(-2)).toEqual(['kept', 'next']);
  expect((await standby.control.listSandboxes()).map(({ name }) => name)).toEqual(['own']);
  expect((await call(`${standby.origin}/v1/pets`)).status).toBe(429);
  expect((await standby.control.countRequests()).count).toBe(3);
});

test('a snapshot replaces the entries, and a server continues from both', async () => {
  const options = { name: 'snapshot', minimumLogCharacters: 4_000 };
  const first = await startShared(store, options);
  const second = await startShared(store, options);
  const names = Array.from({ length: 60 }, (_, n) => `pet-${n}`);
  for (const name of names) expect((await create(first, name)).status).toBe(201);
  await vi.waitUntil(async () => ((await first.control.getHealth()).log?.snapshotPosition ?? 0) > 20, patience);
  expect(Number(await store.ask('XLEN', 'petstore-sim:{snapshot}:log'))).toBeLessThan(60);
  await first.close();
  expect((await namesOf(second)).filter((name) => name.startsWith('pet-'))).toEqual(names);
  const keys = (await store.ask('KEYS', 'petstore-sim:{snapshot}:snapshot:*')).split('\n');
  expect(keys).toHaveLength(1);
});

test('an append whose response is lost is sent again, and counts once', async () => {
  const wire = await startWire(store.port);
  const [first, second] = [await startShared(wire, { name: 'cut' }), await startShared(store, { name: 'cut' })];
  let appends = 0;
  wire.cutsAfter = (bytes) => bytes.includes('"commands"') && appends++ % 3 === 0;
  const answers: Called[] = [];
  for (let n = 0; n < 30; n++) answers.push(await create(first, `cut-${n}`));
  wire.cutsAfter = () => false;
  expect(wire.cuts).toBeGreaterThanOrEqual(5);
  expect(statuses(answers)).toEqual({ 201: 30 });
  await first.close();
  await untilActive(second);
  expect((await second.control.countRequests()).count).toBe(30);
  expect((await namesOf(second)).filter((name) => name.startsWith('cut-'))).toHaveLength(30);
});

test('a server that is cut off from the store answers nothing once another one is active', async () => {
  const wire = await startWire(store.port);
  const [first, second] = [await startShared(wire, { name: 'away' }), await startShared(store, { name: 'away' })];
  await first.control.countRequests();
  // The machine's clock stands still, and must not decide how long a lease lasts.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  wire.isDown = true;
  wire.cut();
  const fate = async (request: Promise<{ status?: number | undefined }>) =>
    request.then(
      ({ status }) => status ?? 'reset',
      () => 'reset',
    );
  await untilActive(second);
  expect((await create(second, 'later')).status).toBe(201);
  const reads = ['keys', 'journal/count'].map((path) => fate(fetch(`${first.origin}/__sim/${path}`)));
  // Health responds at once, and shows that the reads have arrived before the request that they would wait for.
  expect((await first.control.getHealth()).log?.silentMs).toBeGreaterThan(2_000);
  const late = fate(create(first, 'too late'));
  wire.isDown = false;
  expect(await Promise.all([late, ...reads])).toEqual(Array(3).fill('reset'));
  clock.mockRestore();
  await vi.waitUntil(() => !isActive(first), patience);
  // It stands by, and passes connections on.
  expect((await create(first, 'passed on')).status).toBe(201);
  const names = await namesOf(first);
  expect(names).toEqual(await namesOf(second));
  expect(names.filter((name) => ['later', 'too late', 'passed on'].includes(name))).toEqual(['later', 'passed on']);
  expect(first.said.join('\n')).toContain('Another server is active now');
});

test('requests wait for a store that is away for a while, and nobody changes its role', async () => {
  const own = await startStore({ settings: ['--appendfsync', 'always'] });
  const [first, second] = [await startShared(own), await startShared(own)];
  await own.kill();
  const made = [create(first, 'one'), create(second, 'two'), first.control.countRequests()];
  await vi.waitUntil(() => first.said.some((sentence) => sentence.includes('is unreachable')), patience);
  await own.start();
  expect(await Promise.all(made)).toMatchObject([{ status: 201 }, { status: 201 }, { count: expect.any(Number) }]);
  await vi.waitUntil(() => first.said.some((sentence) => sentence.includes('is back after')), patience);
  expect([isActive(first), isActive(second)]).toEqual([true, false]);
});

test('requests to a store that stays away are reset, and new ones get 503 until it is back', {
  tags: 'extended',
}, async () => {
  const own = await startStore({ settings: ['--appendfsync', 'always'] });
  const server = await startShared(own);
  await own.kill();
  expect((await create(server)).status).toBe(undefined);
  expect(server.said.at(-1)).toContain('has not responded for 10 s');
  expect(await create(server)).toMatchObject({ status: 503, retryAfter: '1' });
  await own.start();
  await vi.waitUntil(async () => (await create(server)).status === 201, patience);
});

test('a full store refuses requests without an effect, and serves again when there is room', async () => {
  const own = await startStore();
  const server = await startShared(own);
  await own.ask('CONFIG', 'SET', 'maxmemory', '1');
  const refused = await create(server, 'refused');
  expect(refused).toMatchObject({ status: 503, retryAfter: '1' });
  expect(JSON.parse(refused.body).message).toContain('has changed nothing');
  await own.ask('CONFIG', 'SET', 'maxmemory', '0');
  await vi.waitUntil(async () => (await create(server, 'kept')).status === 201, patience);
  expect(await namesOf(server)).not.toContain('refused');
  expect(isActive(server)).toBe(true);
});

test('all servers end if the store has lost the log', async () => {
  const own = await startStore();
  const servers = [await startShared(own), await startShared(own)];
  await own.ask('FLUSHALL');
  for (const { ended } of servers) await vi.waitUntil(() => ended.length > 0, patience);
  for (const { ended } of servers) expect(ended).toEqual([expect.stringContaining('the store has lost it')]);
});

test('the active server continues from an older copy of the store, and reports it', async () => {
  const own = await startStore({ settings: ['--appendfsync', 'always'] });
  const [first, second] = [await startShared(own), await startShared(own)];
  await create(first, 'kept');
  const putBack = own.copyFiles();
  await create(first, 'lost');
  await create(first, 'lost');
  await own.kill();
  putBack();
  await own.start();
  await vi.waitUntil(async () => (await create(second, 'after')).status === 201, patience);
  const { log } = await second.control.getHealth();
  expect(log?.notices).toContainEqual(expect.stringMatching(/^The store lost entries after \d+ of \d+\.$/));
  const names = await namesOf(first);
  expect(names).toContain('kept');
  expect(names).not.toContain('lost');
});

describe('a server does not start', () => {
  const refusal =
    /^expected the scenario's content, flags and handlers of the active server 127\.0\.0\.1:\d+, got others/;
  beforeAll(async () => {
    await startShared(store, { name: 'identity' });
  });

  test.each([
    ['content', { scenario: { seed: 7 } }],
    ['flags', { listen: { controlToken: 'other' } }],
    ['handlers', { listen: { handlers: () => [] } }],
  ])('with other %s than the active server', async (_what, options) => {
    await expect(startShared(store, { name: 'identity', ...options })).rejects.toThrow(refusal);
  });

  test('with another scenario', async () => {
    const other = startShared(store, { name: 'identity', scenarioName: 'minute-wall' });
    await expect(other).rejects.toThrow('to contain the scenario minute-wall, got default');
  });

  test('with a reset while a server is active', async () => {
    await expect(startShared(store, { name: 'identity', reset: true })).rejects.toThrow(
      'before a reset, got 127.0.0.1:',
    );
  });

  test.each([
    ['birth', ['SET', 'petstore-sim:{earlier}:birth', '{}'], 'earlier', 'an earlier format'],
    ['entries', ['XADD', 'petstore-sim:{rest}:log', '1-0', 'e', '{}'], 'rest', 'the store has lost it'],
  ])('from %s without the rest of a log, which only a reset removes', async (_what, command, name, sentence) => {
    await store.ask(...command);
    await expect(startShared(store, { name })).rejects.toThrow(sentence);
    expect(isActive(await startShared(store, { name, reset: true }))).toBe(true);
  });
});

test('the next start loads the changed content, if no server is active', async () => {
  const first = await startShared(store, { name: 'changed' });
  await create(first, 'kept');
  await first.close();
  const second = await startShared(store, {
    name: 'changed',
    scenario: { keys: { 'free-key': { usage: { minute: 59 } } } },
  });
  expect(second.notices.join()).toContain('has changed since the last start');
  expect(await namesOf(second)).toContain('kept');
});

test('a standby reports an active server at a wrong address, and does not take its place', async () => {
  const name = 'wrong';
  const active = await startShared(store, { name, advertise: '127.0.0.1:1' });
  const standby = await startShared(store, { name });
  expect(standby.said).toEqual([expect.stringContaining('not reachable at 127.0.0.1:1;')]);
  expect([isActive(active), isActive(standby)]).toEqual([true, false]);
  const socket = connect(standby.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  expect((await create(active)).status).toBe(201);
});
