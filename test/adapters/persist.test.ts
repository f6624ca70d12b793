import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { persist } from '../../src/entries/persist.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { MemoryStorage } from '../support/memory-storage.js';
import { callsScenario, makeCalls } from './calls.js';

const { minute: perMinute } = documentedPlans.free;

const address = 'https://api.petstore.example/v1';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterAll(() => server.close());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Loads a page with a new simulator, which is connected to the earlier one only by the storage. */
function load(storage: MemoryStorage, scenario: Scenario = {}): Simulator {
  const sim = createSimulator({ scenario });
  server.resetHandlers(...handlers(sim, { onAnswer: persist(sim, storage) }));
  return sim;
}

const list = (key = 'free-key') => fetch(`${address}/pets`, { headers: { authorization: `Bearer ${key}` } });
const create = (body: string) =>
  fetch(`${address}/pets`, {
    method: 'POST',
    headers: { authorization: 'Bearer free-key', 'content-type': 'application/json' },
    body,
  });

test('a page that is loaded again after every call gets the same responses as one that stays', async () => {
  const storage = new MemoryStorage();
  let sim = load(storage, callsScenario);
  const current = new Proxy({} as Simulator, { get: (_, name) => Reflect.get(sim, name) });
  const send: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    sim = load(storage, callsScenario);
    return response;
  };
  const staying = createSimulator({ scenario: callsScenario });
  expect(await makeCalls(send, current)).toEqual(await makeCalls(staying.fetch, staying));
});

test('a used-up quota and a ban are still there after a reload, and pass in the time between', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T12:00:00Z') });
  const storage = new MemoryStorage();
  const spent: Scenario = { keys: { 'free-key': { usage: { minute: 'all' } } } };
  const sim = load(storage, spent);
  expect((await list()).headers.get('retry-after')).toBe('60');
  sim.keys.ban('pro-key', '90s');
  await list('business-key');
  vi.setSystemTime(Date.now() + 20_000);
  load(storage, spent);
  const refused = await list();
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('40');
  expect((await list('pro-key')).headers.get('retry-after')).toBe('70');
  vi.setSystemTime(Date.now() + 70_000);
  const after = load(storage, spent);
  expect((await list('pro-key')).status).toBe(200);
  expect((await list()).status).toBe(200);
  expect(after.clock.now()).toBe(Date.now());
});

test('a frozen clock keeps its time, and a fast clock has advanced fast', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-01-01T12:00:00Z') });
  const frozen: Scenario = { clock: { start: '2030-01-01T00:00:00Z', mode: 'frozen' } };
  const still = new MemoryStorage();
  load(still, frozen).clock.advance('61s');
  await list();
  vi.setSystemTime(Date.now() + 5_000);
  expect(load(still, frozen).clock.now()).toBe(Date.parse('2030-01-01T00:01:01Z'));
  const fast = new MemoryStorage();
  const at = load(fast, { clock: { speed: 60 } }).clock.now();
  await list();
  vi.setSystemTime(Date.now() + 2_000);
  expect(load(fast, { clock: { speed: 60 } }).clock.now()).toBe(at + 120_000);
});

test('pets that were added, int64 and all, and faults with their counts stay', async () => {
  const storage = new MemoryStorage();
  const sim = load(storage);
  sim.faults.add({ name: 'flaky', when: { operation: 'listPets' }, then: { respond: { status: 503 }, failTimes: 2 } });
  await create('{"name":"Žofie","categoryId":9223372036854775807}');
  expect((await list()).status).toBe(503);
  const loaded = load(storage);
  expect(loaded.pets.get(41)).toMatchObject({ name: 'Žofie', categoryId: 9223372036854775807n });
  expect((await list()).status).toBe(503);
  expect((await list()).status).toBe(200);
  expect(await (await create('{"name":"Luna","categoryId":1}')).json()).toMatchObject({ id: 42 });
});

test('another scenario that was loaded stays, and its pets are those that a reset goes back to', async () => {
  const storage = new MemoryStorage();
  load(storage).load({ name: 'empty', pets: [] }, { reseed: true });
  await list();
  const loaded = load(storage);
  expect([loaded.name, loaded.pets.size]).toEqual(['empty', 0]);
});

test('a reset clears it, before any further request', async () => {
  const storage = new MemoryStorage();
  const sim = load(storage);
  await create('{"name":"Žofie","categoryId":1}');
  expect(storage.texts.size).toBe(1);
  sim.reset();
  expect(storage.texts.size).toBe(0);
  expect(load(storage).pets.size).toBe(40);
});

test('another scenario in the code starts from its beginning', async () => {
  const storage = new MemoryStorage();
  load(storage);
  await create('{"name":"Žofie","categoryId":1}');
  expect(load(storage, { name: 'changed' }).pets.size).toBe(40);
  expect(storage.texts.size).toBe(0);
});

test('truncated or changed data is ignored', async () => {
  const storage = new MemoryStorage();
  load(storage);
  await create('{"name":"Žofie","categoryId":1}');
  const [[name, text] = ['', '']] = storage.texts;
  const wrong = [
    '',
    'null',
    '[]',
    text.replace('"version":1', '"version":2'),
    text.replace('"keys":', '"kees":'),
    text.replace('"keys":[', '"kees":['),
    text.replace('"unlistedKeys":', '"kees":'),
    text.replace('"used":', '"used":-'),
    ...Array.from({ length: 50 }, (_, part) => text.slice(0, Math.floor((text.length * part) / 50))),
  ];
  for (const saved of wrong) {
    storage.setItem(name, saved);
    expect(load(storage).pets.size).toBe(40);
    expect(storage.texts.size).toBe(0);
    expect((await list()).headers.get('x-ratelimit-remaining')).toBe(String(perMinute - 1));
  }
});

test('data that is too large or rejected is not stored, the console reports it once, and no older state is restored', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const storage = new MemoryStorage();
  const sim = load(storage);
  await list();
  expect(storage.texts.size).toBe(1);
  for (let count = 0; count < 20; count++) sim.pets.add({ name: 'x'.repeat(60_000), categoryId: 1 });
  await list();
  await list();
  expect(storage.texts.size).toBe(0);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('takes more than 1000000 characters'));
  sim.reset();
  storage.setItem = () => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
  };
  load(storage);
  expect((await list()).status).toBe(200);
  expect(warn).toHaveBeenLastCalledWith(expect.stringContaining('The quota has been exceeded'));
});

test('a cleared storage stays empty when the page is closed, and is filled by the next response', async () => {
  let leave = () => {};
  vi.stubGlobal('addEventListener', (_: string, listen: () => void) => {
    leave = listen;
  });
  const storage = new MemoryStorage();
  const sim = load(storage);
  vi.unstubAllGlobals();
  sim.keys.ban('pro-key', '90s');
  leave();
  expect(storage.texts.size).toBe(1);
  storage.texts.clear();
  leave();
  expect(storage.texts.size).toBe(0);
  await list();
  expect(storage.texts.size).toBe(1);
  sim.reset();
  sim.keys.ban('pro-key', '90s');
  leave();
  expect(storage.texts.size).toBe(1);
});
