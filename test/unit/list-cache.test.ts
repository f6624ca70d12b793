import { describe, expect, test } from 'vitest';
import type { Simulator } from '../../src/index.js';
import { createSimulator } from '../../src/index.js';
import { ListCache } from '../../src/petstore/list-cache.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { send } from '../support/plain-call.js';

const scenario = { limits: 'off' } as const;

const list = (sim: Simulator, query = 'limit=3') => send(sim, { query });

test('an unchanged list is created once, and at most a hundred lists are cached', () => {
  const cache = new ListCache();
  const { settings } = resolveScenario(scenario);
  const [pets, otherPets] = [{}, {}];
  let created = 0;
  const find = (content: object, query: string) =>
    cache.find(content, settings, query, () => ({ status: 200, body: String(++created) })).body;
  expect([find(pets, 'a'), find(pets, 'a'), find(pets, 'b'), find(pets, 'a'), find(otherPets, 'a')]).toEqual([
    ...['1', '1', '2', '1', '3'],
  ]);
  for (let at = 0; at < 98; at++) find(pets, String(at));
  expect(find(pets, 'a')).toBe('1');
  find(pets, 'one more');
  expect(find(pets, 'a')).toBe('103');
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
