import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/entries/index.js';
import { createSimulator } from '../../src/entries/index.js';
import { openServer } from '../support/open-server.js';
import { send } from '../support/plain-call.js';

const scenario = { limits: 'off' } as const;

const list = (sim: Simulator, query = 'limit=3') => send(sim, { query });

describe('a create at the end of the list', () => {
  const create = (sim: Simulator) => send(sim, { body: { name: 'Rex', categoryId: 1, status: 'sold' } });
  const queries = ['limit=3', 'limit=40', 'limit=41', 'limit=100', 'status=sold&limit=2', 'status=sold&limit=100'];
  const all = (sim: Simulator) => queries.map((query) => list(sim, query).body);

  test.each(['id-ascending', 'newest-first', 'shuffled'] as const)(
    'changes the lists that contain the pet, in the order %s',
    (listOrder) => {
      const sim = createSimulator({ scenario: { ...scenario, assumptions: { listOrder } } });
      const fork = sim.fork();
      const before = all(sim);
      for (let n = 1; n <= 8; n++) {
        all(sim);
        create(sim);
        // A simulator that has listed nothing before gives the expected lists.
        const other = sim.fork();
        for (let m = 1; m <= n; m++) create(other);
        expect(all(sim)).toEqual(all(other));
      }
      expect(all(fork)).toEqual(before);
    },
  );
});

describe('a list is up to date after', () => {
  const changes: Record<string, (sim: Simulator) => unknown> = {
    'a create': (sim) => send(sim, { body: { name: 'Rex', categoryId: 1 } }),
    'an added pet': (sim) => sim.pets.add({ name: 'Rex', categoryId: 1 }),
    'an updated pet': (sim) => sim.pets.update(1, { name: 'Max' }),
    'a removed pet': (sim) => sim.pets.remove(1),
    'a restored snapshot': (sim) => sim.restore(sim.snapshot()),
    'another scenario with other pets': (sim) =>
      sim.load({ ...scenario, pets: [{ name: 'Only', categoryId: 1 }] }, { reseed: true }),
    'another scenario with the same pets': (sim) => sim.load({ ...scenario, assumptions: { paging: 'cursor' } }),
  };

  test.each(Object.keys(changes))('%s', (name) => {
    const sim = createSimulator({ scenario });
    list(sim);
    changes[name]?.(sim);
    expect(JSON.parse(list(sim).body)).toEqual(JSON.parse(`[${sim.pets.list({ limit: 3 }).map(({ json }) => json)}]`));
  });
});

test('a reset restores the list from before a change', () => {
  const sim = createSimulator({ scenario });
  const first = list(sim, 'limit=100');
  sim.pets.add({ name: 'Rex', categoryId: 1 });
  expect(JSON.parse(list(sim, 'limit=100').body)).toHaveLength(41);
  sim.reset();
  expect(list(sim, 'limit=100').body).toBe(first.body);
});

test('a fork shares the lists until its pets change', () => {
  const sim = createSimulator({ scenario });
  const [fork, other] = [sim.fork(), sim.fork()];
  const first = list(sim, 'limit=100');
  expect(list(fork, 'limit=100').body).toBe(first.body);
  fork.pets.update(1, { name: 'Max' });
  expect(JSON.parse(list(fork, 'limit=100').body)[0]).toMatchObject({ id: 1, name: 'Max' });
  for (const each of [sim, other]) expect(list(each, 'limit=100').body).toBe(first.body);
});

test('a fork with other assumptions has its own lists', () => {
  const sim = createSimulator({ scenario: { ...scenario, assumptions: { unknownStatusFilter: 'empty' } } });
  const fork = sim.fork();
  fork.load({ ...scenario, assumptions: { unknownStatusFilter: 'ignore' } });
  expect(list(sim, 'status=lost').body).toBe('[]');
  expect(JSON.parse(list(fork, 'status=lost').body)).toHaveLength(20);
  expect(list(sim, 'status=lost').body).toBe('[]');
});

test('a fault changes the response, but not the later lists', () => {
  const sim = createSimulator({ scenario });
  const first = list(sim);
  sim.faults.add({ name: 'cut', then: { malformed: true } });
  const cut = list(sim);
  expect(cut.body).toBe(`${first.body.slice(0, -1)},`);
  sim.faults.remove('cut');
  expect(list(sim).body).toBe(first.body);
});

test('another scenario with the same pets responds to the same query by its own assumptions', () => {
  const sim = createSimulator({ scenario: { ...scenario, assumptions: { unknownStatusFilter: 'empty' } } });
  expect(list(sim, 'status=lost').body).toBe('[]');
  sim.load({ ...scenario, assumptions: { unknownStatusFilter: 'ignore' } });
  expect(JSON.parse(list(sim, 'status=lost').body)).toHaveLength(20);
});

test('over HTTP, each list has the UTF-8 of its pets, whichever of them have names that are not ASCII', async () => {
  const names = ['Rex', 'Zoë', 'Bär', 'ミロ', 'Max', '🐕', 'Coco'];
  const pets = names.map(
    (name, at) => ({ id: at + 1, name, categoryId: 1, status: at % 2 ? 'sold' : 'pending' }) as const,
  );
  const sim = createSimulator({ scenario: { ...scenario, pets } });
  const server = await openServer(sim);
  const check = async (query: string) => {
    const response = await fetch(`${server.baseUrl}/pets?${query}`, { headers: { Authorization: 'Bearer free-key' } });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const expected = new TextEncoder().encode(list(sim, query).body);
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(expected.length)]);
    expect(bytes).toEqual(expected);
  };
  const checkAll = async () => {
    for (let limit = 1; limit <= 9; limit++)
      for (const status of ['', '&status=sold', '&status=pending']) await check(`limit=${limit}${status}`);
  };
  await checkAll();
  sim.pets.add({ name: 'Flöckchen', categoryId: 1, status: 'sold' });
  await checkAll();
  sim.pets.update(1, { name: 'Ñandú' });
  sim.pets.remove(3);
  await checkAll();
});
