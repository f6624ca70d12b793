import { HttpResponse, http } from 'msw';
import { afterEach, expect, test, vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { type Scenario, serveRoute } from '../../src/entries/index.js';
import { guarded } from '../../src/entries/msw.js';
import { serve } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import { readMachine } from '../../src/persistence/read-machine.js';
import { restoreMachine } from '../../src/persistence/start-machine.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { jsonText, parseJson } from '../../src/values/json.js';
import { found, serveLogged } from '../persistence/memory-log.js';
import { deferred } from '../support/deferred.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';

const open: { close(options?: object): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close({ graceMs: 0 });
});

type Logged = Awaited<ReturnType<typeof serveLogged>>;

async function start(scenario: Scenario = {}): Promise<Logged> {
  const server = await serveLogged(scenario);
  coreOf(server.machine.sim).state.shared.operations.names.add('placeOrder');
  open.push(server);
  return server;
}

const order = (
  server: Logged,
  respond: () => Response | Promise<Response>,
  init: RequestInit = {},
  sandbox?: string,
) => {
  const sim = sandbox === undefined ? server.machine.sim : server.machine.simOf(sandbox);
  if (sim === undefined) throw new Error(`expected a sandbox ${sandbox}`);
  const headers = { authorization: 'Bearer free-key' };
  const request = new Request('http://petstore.test/v1/orders', { method: 'POST', body: '{}', headers, ...init });
  return serveRoute(sim, request, respond, { operation: 'placeOrder' });
};

const stored = (id = 7) => Response.json({ id }, { status: 201 });
const kinds = ({ log }: Logged) =>
  log.entries.flatMap(({ commands }) => commands.map((each) => (each as { kind: string }).kind));

/** Replays a log and expects the server's state. */
async function expectSameState(server: Logged) {
  await server.sequencer.close();
  const { machine, difference } = await readMachine(
    { snapshot: undefined, entries: found(server.log.entries) },
    { service: servedPetstore, generatePets },
  );
  expect(difference).toBeUndefined();
  const pieces = (of: Logged['machine']) => [...captureMachine(of)].map(jsonText);
  expect(pieces(machine as never)).toEqual(pieces(server.machine));
  return machine as Logged['machine'];
}

test('a request to a route creates two log entries, and a replay runs no function', async () => {
  const server = await start({ keys: { 'free-key': { usage: { minute: 58 } } } });
  const run = vi.fn(stored);
  expect(await (await order(server, run)).json()).toEqual({ id: 7 });
  expect((await order(server, run)).status).toBe(201);
  expect((await order(server, run)).status).toBe(429);
  expect(run).toHaveBeenCalledTimes(2);
  const machine = await expectSameState(server);
  expect(run).toHaveBeenCalledTimes(2);
  expect(machine.sim.journal.query().map(({ operation, status, storedId }) => [operation, status, storedId])).toEqual([
    ['placeOrder', 201, '7'],
    ['placeOrder', 201, '7'],
    ['placeOrder', 429, undefined],
  ]);
  expect(kinds(server).filter((kind) => kind === 'request' || kind === 'routeEnded')).toEqual([
    'request',
    'routeEnded',
    'request',
    'routeEnded',
    'request',
  ]);
});

test.each([
  ['binary', () => new Response(Uint8Array.of(255, 0, 1), { status: 201 })],
  ['long', () => new Response('ä'.repeat(100_000), { status: 201 })],
  [
    'streamed',
    () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            controller.enqueue(new TextEncoder().encode('one'));
            await new Promise((resolve) => setTimeout(resolve, 120));
            controller.enqueue(new TextEncoder().encode('two'));
            controller.close();
          },
        }),
        { status: 201 },
      ),
  ],
  ['failed', () => Promise.reject(new Error('no such table'))],
] as [string, () => Response | Promise<Response>][])(
  'a replay of a %s response restores the same state',
  async (_, respond) => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const server = await start();
    const answer = await order(server, respond);
    await answer.arrayBuffer();
    await expectSameState(server);
    vi.restoreAllMocks();
  },
);

test.each(['before', 'after'] as const)('a replay repeats a delay %s the function', async (phase) => {
  const server = await start();
  await createControl(server.controlUrl).addFault({
    when: { operation: 'placeOrder' },
    then: { delay: '30ms', phase },
  });
  const run = vi.fn(stored);
  expect((await order(server, run)).status).toBe(201);
  expect(run).toHaveBeenCalledTimes(1);
  await expectSameState(server);
});

test('a replay repeats a fault that changes a binary response', async () => {
  const server = await start();
  await createControl(server.controlUrl).addFault({ when: { operation: 'placeOrder' }, then: { malformed: true } });
  const answer = await order(server, () => new Response(Uint8Array.of(255, 0, 1), { status: 201 }));
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(Uint8Array.of(255, 0, 44));
  const machine = await expectSameState(server);
  expect(machine.sim.journal.query()).toMatchObject([{ status: 201, responseBody: { base64: '/wAs' } }]);
});

test('the control API of a logged server rejects unknown operation names', async () => {
  const server = await start();
  const control = createControl(server.controlUrl);
  const rule = { when: { operation: 'placeOrdr' }, then: { empty: true } } as const;
  await expect(control.addFault(rule)).rejects.toThrow('did you mean placeOrder?');
  await expect(control.loadScenario({ scenario: { faults: [rule] } })).rejects.toThrow('did you mean placeOrder?');
  await control.addFault({ ...rule, when: { operation: 'placeOrder' } });
  await expectSameState(server);
});

test('requests to a route of a sandbox are logged and replayed', async () => {
  const server = await start();
  await createControl(server.controlUrl).createSandbox({ name: 'box' });
  expect((await order(server, stored, {}, 'box')).status).toBe(201);
  const machine = await expectSameState(server);
  expect(machine.simOf('box')?.journal.query()).toMatchObject([{ operation: 'placeOrder', status: 201 }]);
});

test('a snapshot contains running requests, which a restart records without a response', async () => {
  const server = await start();
  const { promise, resolve } = deferred<Response>();
  const answer = order(server, () => promise);
  await vi.waitFor(() => expect(coreOf(server.machine.sim).state.running.size).toBe(1), patience);
  const pieces = parseJson(jsonText([...captureMachine(server.machine)]), 64) as unknown[];
  const restored = await restoreMachine(pieces, { service: servedPetstore, generatePets });
  expect([...captureMachine(restored)].map(jsonText)).toEqual([...captureMachine(server.machine)].map(jsonText));
  const { lastMs } = restored.time;
  restored.apply({
    position: 99,
    atMs: lastMs + 5,
    commands: [{ kind: 'started' }],
    answered: [],
  } as never);
  expect(restored.sim.journal.pending).toBe(0);
  expect(restored.sim.journal.query()).toMatchObject([{ operation: 'placeOrder', status: 0, isAbandoned: true }]);
  resolve(stored());
  expect((await answer).status).toBe(201);
  await expectSameState(server);
});

test('a replay restores the same record for a client that disconnects', async () => {
  const server = await start();
  const client = new AbortController();
  const { promise, resolve } = deferred<Response>();
  const answer = order(server, () => promise, { signal: client.signal });
  await vi.waitFor(() => expect(coreOf(server.machine.sim).state.running.size).toBe(1), patience);
  client.abort();
  expect((await answer).type).toBe('error');
  await vi.waitFor(() => expect(kinds(server)).toContain('left'), patience);
  resolve(stored());
  await vi.waitFor(
    () => expect(server.machine.sim.journal.query()).toMatchObject([{ status: 0, storedId: '7' }]),
    patience,
  );
  await expectSameState(server);
});

test('a served folder stores the journal of routes, and rejects changes to pets', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const data = newFolder();
  const options = {
    data,
    port: 0,
    scenario: { faults: [{ when: { operation: 'listOrders', nth: 2 }, then: { empty: true } }] } satisfies Scenario,
    handlers: (sim: Parameters<typeof serveRoute>[0]) => [
      http.get(
        '*/v1/orders',
        guarded(sim, 'listOrders', () => HttpResponse.json([1])),
      ),
      http.post(
        '*/v1/orders',
        guarded(sim, () => HttpResponse.json(sim.pets.remove(1))),
      ),
    ],
  };
  const first = await serve(options as never);
  const get = async (url: string, method = 'GET') => {
    const response = await fetch(`${url}/orders`, { method, headers: { authorization: 'Bearer free-key' } });
    return [response.status, await response.text()];
  };
  expect(await get(first.baseUrl)).toEqual([200, '[1]']);
  expect(await get(first.baseUrl)).toEqual([200, '']);
  expect((await get(first.baseUrl, 'POST'))[0]).toBe(500);
  await first.close({ graceMs: 0 });
  const again = await serve(options as never);
  open.push(again);
  const { entries } = await again.control.queryJournal({});
  expect(entries.map(({ operation, status }) => [operation, status])).toEqual([
    ['listOrders', 200],
    ['listOrders', 200],
    ['POST /v1/orders', 500],
  ]);
  expect(again.notices).toEqual([]);
  vi.restoreAllMocks();
});
