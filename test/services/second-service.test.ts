import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { exportedScenario } from '../../src/cli/exported-scenario.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { persist } from '../../src/entries/persist.js';
import { judge } from '../../src/entries/verdict.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import { readMachine } from '../../src/persistence/read-machine.js';
import { restoreMachine, startMachine } from '../../src/persistence/start-machine.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { found, serveLogged } from '../persistence/memory-log.js';
import { clientOf, depot } from '../support/depot.js';
import { MemoryStorage } from '../support/memory-storage.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';

const { minute: perMinute } = documentedPlans.free;

const frozen: Scenario = { clock: { mode: 'frozen', start: '2026-01-01T00:00:00Z' } };

function depotAt(scenario: Scenario = {}) {
  const errors: unknown[] = [];
  const sim = createSimulator({
    scenario: { ...frozen, ...scenario },
    services: [depot],
    onError: (error) => void errors.push(error),
    onWarning: () => {},
  });
  return { sim, errors, ...clientOf(sim) };
}

describe('a second service', () => {
  test('responds under its own base path, in addition to the Petstore', async () => {
    const { ask, post } = depotAt();
    const sent = await post('Oslo');
    expect([sent.status, await sent.json()]).toEqual([201, { number: '1', to: 'Oslo' }]);
    const tracked = await ask('/depot/parcels/1');
    expect([tracked.status, await tracked.json()]).toEqual([200, { number: '1', to: 'Oslo' }]);
    expect((await ask('/v1/pets')).status).toBe(200);
    expect((await ask('/v1/parcels/1')).status).toBe(404);
    expect((await ask('/depot/pets')).status).toBe(404);
  });

  test('responds with 401, 404 and 400 in the form of the API, and its headers on each response', async () => {
    const { ask, post } = depotAt();
    const unauthorized = await ask('/depot/parcels/1', { headers: { authorization: '' } });
    expect(unauthorized.status).toBe(401);
    expect(unauthorized.headers.get('x-depot')).toBe('north');
    expect((await ask('/depot/parcels/7')).status).toBe(404);
    const invalid = await ask('/depot/parcels', { method: 'POST', body: '{}' });
    expect([invalid.status, (await invalid.json()).code]).toEqual([400, 'invalid_request']);
    expect((await post('Oslo')).headers.get('x-ratelimit-remaining')).toBe(String(perMinute - 3));
  });

  test('is limited with the Petstore: of parallel requests exactly those of the limit are served, then the key is banned', async () => {
    const { sim, ask } = depotAt({ keys: { 'free-key': {} } });
    const answers = await Promise.all(
      Array.from({ length: perMinute + 40 }, (_, i) => ask(i % 2 ? '/v1/pets' : '/depot/broken')),
    );
    expect(answers.filter(({ status }) => status !== 429 && status !== 403)).toHaveLength(perMinute);
    expect(sim.journal.pending).toBe(0);
    for (let request = 0; request < 20; request++) {
      await sim.clock.advance('1s');
      await ask('/depot/parcels/1');
    }
    expect(sim.keys.get('free-key')?.bannedUntil).toBeDefined();
    const refused = await ask('/depot/parcels/1');
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(refused.headers.get('x-depot')).toBe('north');
  });

  test('is faulted before and after its operation, and delayed', async () => {
    const { sim, ask, post } = depotAt();
    sim.faults.add({ name: 'lost', when: { method: 'POST', nth: 1 }, then: { empty: true, phase: 'after' } });
    sim.faults.add({ name: 'slow', when: { method: 'GET' }, then: { delay: '5s' } });
    expect(await (await post('Oslo')).text()).toBe('');
    const tracking = ask('/depot/parcels/1');
    await vi.waitFor(() => expect(sim.journal.pending).toBe(1), patience);
    await sim.clock.advance('5s');
    expect(await (await tracking).json()).toEqual({ number: '1', to: 'Oslo' });
    expect(sim.journal.query({}).map(({ operation, fault, storedId }) => [operation, fault, storedId])).toEqual([
      ['sendParcel', 'lost', '1'],
      ['trackParcel', 'slow', undefined],
    ]);
  });

  test('begins anew at a reset, and returns to a snapshot', async () => {
    const { sim, ask, post } = depotAt();
    await post('Oslo');
    const snapshot = sim.snapshot();
    await post('Bergen');
    sim.restore(snapshot);
    expect([(await ask('/depot/parcels/1')).status, (await ask('/depot/parcels/2')).status]).toEqual([200, 404]);
    sim.reset();
    expect((await ask('/depot/parcels/1')).status).toBe(404);
    sim.restore(snapshot);
    expect((await ask('/depot/parcels/1')).status).toBe(200);
  });

  test('is part of a fork, with separate data', async () => {
    const { sim, ask, post } = depotAt();
    await post('Oslo');
    const other = clientOf(sim.fork());
    expect((await other.ask('/depot/parcels/1')).status).toBe(404);
    expect((await other.post('Rome')).status).toBe(201);
    expect(await (await ask('/depot/parcels/1')).json()).toEqual({ number: '1', to: 'Oslo' });
  });

  test('responds with 500 to an error in find, after authentication, and the simulator continues', async () => {
    const { sim, ask, errors } = depotAt();
    expect((await ask('/depot/broken', { headers: { authorization: '' } })).status).toBe(401);
    const failed = await ask('/depot/broken');
    expect([failed.status, await failed.text()]).toEqual([500, expect.not.stringContaining('find failed')]);
    expect(errors.length).toBeGreaterThan(0);
    expect(sim.journal.pending).toBe(0);
    expect((await ask('/v1/pets')).status).toBe(200);
  });

  test('is judged: an early retry and a write that was stored twice are found', async () => {
    const { sim, ask, post } = depotAt();
    sim.faults.add({ when: { method: 'POST', nth: 1 }, then: { empty: true, phase: 'after' } });
    await post('Oslo');
    await post('Oslo');
    for (let request = 0; request < 60; request++) await ask('/depot/parcels/1');
    const { findings } = judge(sim, { isOver: true });
    expect(findings.map(({ code }) => code)).toEqual(expect.arrayContaining(['duplicate-write', 'early-retry']));
  });

  test('is judged with the deprecated operations of both services', async () => {
    const { sim, ask } = depotAt();
    for (const path of ['/depot/parcels/1', '/v1/pets/1']) await ask(path);
    const deprecated = judge(sim).findings.filter(({ code }) => code === 'deprecated-operation');
    expect(deprecated.map(({ requests, text }) => [requests, text.split(' was ')[0]])).toEqual([
      [[1], 'GET /parcels/{number}'],
      [[2], 'GET /pets/{petId}'],
    ]);
  });

  test('is served over HTTP and in sandboxes, under its own base path', async () => {
    const { sim } = depotAt();
    const server = await openServer(sim);
    const origin = new URL(server.baseUrl).origin;
    const over = (base: string) =>
      clientOf({ fetch: (url, init) => fetch(String(url).replace(/^.*test/, base), init) });
    const [own, sandbox] = [over(origin), over(`${origin}/s/mine`)];
    expect((await own.post('Oslo')).status).toBe(201);
    expect(await (await own.ask('/depot/parcels/1?fast')).json()).toEqual({ number: '1', to: 'Oslo' });
    expect((await own.ask('/v1/pets')).status).toBe(200);
    expect((await own.ask('/v1/parcels/1')).status).toBe(404);
    expect((await own.ask('/depots')).headers.get('x-ratelimit-limit')).toBeNull();
    expect((await sandbox.ask('/depot/parcels/1')).status).toBe(404);
    expect(await (await sandbox.post('Rome')).json()).toEqual({ number: '1', to: 'Rome' });
    expect((await sandbox.ask('/v1/pets')).status).toBe(200);
    expect(sim.journal.query({}).map(({ baseUrl, operation }) => [baseUrl, operation])).toEqual([
      [`${origin}/depot`, 'sendParcel'],
      [`${origin}/depot`, 'trackParcel'],
      [`${origin}/v1`, 'listPets'],
      [`${origin}/v1`, undefined],
    ]);
    expect(server.sandboxes.find('mine')?.sim.journal.query({})[0]?.baseUrl).toBe(`${origin}/s/mine/depot`);
  });

  test('is served by the handlers of msw, under its own base path', async () => {
    const { sim } = depotAt();
    const server = setupServer(...handlers(sim));
    server.listen({ onUnhandledRequest: 'error' });
    onTestFinished(() => server.close());
    const { ask, post } = clientOf({ fetch });
    expect((await post('Oslo')).status).toBe(201);
    expect(await (await ask('/depot/parcels/1')).json()).toEqual({ number: '1', to: 'Oslo' });
    expect((await ask('/v1/pets')).status).toBe(200);
  });

  test('is replayed from a log, also of requests over HTTP', async () => {
    const services = [depot];
    const { machine, log, baseUrl, close } = await serveLogged({}, { services });
    const { ask, post } = clientOf({
      fetch: (url, init) => fetch(new URL(new URL(String(url)).pathname, baseUrl), init),
    });
    await post('Oslo');
    await ask('/depot/parcels/1');
    await ask('/v1/pets/1');
    await close();
    const read = await readMachine(
      { snapshot: undefined, entries: found(log.entries) },
      { service: servedPetstore, readMs: Date.now, services },
    );
    const journal = machine.sim.journal.query({});
    expect(journal.map(({ operation, status }) => [operation, status])).toEqual([
      ['sendParcel', 201],
      ['trackParcel', 200],
      ['getPet', 200],
    ]);
    expect(read.machine?.sim.journal.query({})).toEqual(journal);
    expect(read.difference).toBeUndefined();
  });

  test('is part of an exported state, which only a simulator with the service accepts', async () => {
    const { sim, post } = depotAt();
    await post('Oslo');
    const state = createControl(sim).exportState();
    expect(state.services).toEqual({ depot: [{ 1: 'Oslo' }] });
    const other = depotAt();
    await other.post('Rome');
    await other.post('Bern');
    createControl(other.sim).importState(JSON.parse(JSON.stringify(state)));
    expect(await (await other.ask('/depot/parcels/1')).json()).toEqual({ number: '1', to: 'Oslo' });
    expect((await other.ask('/depot/parcels/2')).status).toBe(404);

    const alone = createControl(createSimulator({ scenario: frozen }));
    expect(() => alone.importState(state)).toThrow('expected services of this simulator, got depot');
    expect(alone.exportState()).not.toHaveProperty('services');
    expect(() => exportedScenario(state)).toThrow('got data of the service depot too');
  });

  test('is saved for the next load of a page', async () => {
    const storage = new MemoryStorage();
    const { sim, post } = depotAt();
    const save = persist(sim, storage);
    await post('Oslo');
    save();
    const next = depotAt();
    persist(next.sim, storage);
    expect(await (await next.ask('/depot/parcels/1')).json()).toEqual({ number: '1', to: 'Oslo' });
  });

  test('is restored from a log with its data, its delayed request and its journal', async () => {
    const options = { service: servedPetstore, readMs: () => Date.now(), services: [depot], onWarning: () => {} };
    const machine = startMachine(resolveScenario(frozen), Date.now(), options);
    const { ask, post } = clientOf(machine.sim);
    await post('Oslo');
    machine.sim.faults.add({ name: 'slow', when: { method: 'GET' }, then: { delay: '5s' } });
    const left = ask('/depot/parcels/1').catch(() => undefined);
    await vi.waitFor(() => expect(machine.sim.journal.pending).toBe(1), patience);
    const pieces = JSON.parse(JSON.stringify([...captureMachine(machine)]));
    const restored = await restoreMachine(pieces, options);
    await restored.sim.clock.advance('5s');
    const [, tracked] = restored.sim.journal.query({});
    expect([tracked?.operation, tracked?.status, tracked?.responseBody]).toEqual([
      'trackParcel',
      200,
      '{"number":"1","to":"Oslo"}',
    ]);
    await machine.sim.clock.advance('5s');
    await left;
  });
});
