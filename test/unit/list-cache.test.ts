import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { createSimulator } from '../../src/index.js';
import { findList, invalidateLists, type ListCache } from '../../src/petstore/list-cache.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { send } from '../support/plain-call.js';

const scenario = { limits: 'off' } as const;

const list = (sim: Simulator, query = 'limit=3') => send(sim, { query });

test('an unchanged list is created once, and at most a hundred lists are cached', () => {
  const lists: ListCache = new Map();
  const { settings } = resolveScenario(scenario);
  let created = 0;
  const find = (query: string, isFull = true) =>
    findList(lists, settings, query, () => ({ outcome: { status: 200, body: String(++created) }, isFull })).body;
  expect([find('a'), find('a'), find('b'), find('a'), find('partial', false)]).toEqual(['1', '1', '2', '1', '3']);
  for (let at = 0; at < 97; at++) find(String(at));
  expect([find('a'), find('partial')]).toEqual(['1', '3']);
  find('one more');
  expect([find('a'), find('partial', false)]).toEqual(['102', '103']);
  invalidateLists(lists, true);
  expect([find('a'), find('partial', false)]).toEqual(['102', '104']);
  invalidateLists(lists, false);
  expect([find('a'), find('partial', false)]).toEqual(['105', '106']);
});

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
        // A simulator that has cached nothing gives the expected lists.
        const other = sim.fork();
        for (let m = 1; m <= n; m++) create(other);
        expect(all(sim)).toEqual(all(other));
      }
      expect(all(fork)).toEqual(before);
    },
  );
});

describe('a list is created anew after', () => {
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

test('a list from before a change is cached again after a reset', () => {
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

test('a fault changes the response, but not the cached list', () => {
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
