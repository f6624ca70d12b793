import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PetStatus, petStatuses } from '../../src/petstore/document.js';
import { type Pet, type StoredPet, toStored } from '../../src/petstore/pet.js';
import { type ListOrder, PetStore } from '../../src/petstore/pet-store.js';
import type { Int64 } from '../../src/values/int64.js';
import { fuzz } from '../support/prove.js';

const orders = ['id-ascending', 'newest-first', 'shuffled'] as const;
const pet = (id: Int64, status: PetStatus | undefined = 'available'): StoredPet =>
  toStored({ id, name: `pet ${id}`, categoryId: 1, status });
const store = (ids: Int64[], order: ListOrder = 'id-ascending', seed = 1) =>
  new PetStore(
    ids.map((id) => pet(id)),
    { order, seed },
  );
const ids = (pets: readonly Pet[]) => pets.map(({ id }) => id);
const rex = { name: 'Rex', categoryId: 3 };

describe('order', () => {
  test('id-ascending lists by id, in any order of the scenario', () => {
    expect(ids(store([3, 1, 2n ** 60n, -5, 2]).list())).toEqual([-5, 1, 2, 3, 2n ** 60n]);
  });

  test('shuffled depends on the seed alone', () => {
    const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
    const one = ids(store(numbers, 'shuffled', 7).list());
    expect(one).toEqual(ids(store([...numbers].reverse(), 'shuffled', 7).list()));
    expect(one).not.toEqual(ids(store(numbers, 'shuffled', 8).list()));
    expect(one).not.toEqual(numbers);
    expect([...one].sort((a, b) => Number(a) - Number(b))).toEqual(numbers);
  });

  test('a new pet does not move the others in a shuffled list', () => {
    const pets = store([1, 2, 3, 4, 5, 6, 7, 8], 'shuffled');
    const before = ids(pets.list());
    for (let n = 0; n < 20; n++) pets.add(rex);
    expect(ids(pets.list()).filter((id) => before.includes(id))).toEqual(before);
  });
});

describe('status', () => {
  const pets = () =>
    new PetStore([pet(1), pet(2, 'sold'), pet(3), pet(4, 'pending')], { order: 'id-ascending', seed: 1 });

  test('a pet without a status is in no filtered list', () => {
    const store = pets();
    store.update(1, { status: undefined });
    expect(store.get(1)?.json).toBe('{"id":1,"name":"pet 1","categoryId":1}');
    expect(petStatuses.flatMap((status) => ids(store.list({ status })))).toEqual([3, 4, 2]);
    expect(store.size).toBe(4);
  });
});

describe('update and remove', () => {
  test('an update keeps the id and the fields that it does not name', () => {
    const pets = store([1]);
    expect(pets.update(1, { name: 'Max' })?.json).toBe('{"id":1,"name":"Max","categoryId":1,"status":"available"}');
    expect(pets.update(1, { id: 9 } as Partial<Pet>)?.id).toBe(1);
    expect(pets.get(1)?.name).toBe('Max');
    expect(pets.list()[0]).toBe(pets.get(1));
  });
});

describe('identifiers', () => {
  test('start one above the highest of the scenario', () => {
    expect(store([7, 3]).add(rex).id).toBe(8);
    expect(store([]).add(rex).id).toBe(1);
    expect(store([-9]).add(rex).id).toBe(1);
  });

  test('end at the greatest int64', () => {
    const greatest = 2n ** 63n - 1n;
    const pets = new PetStore([pet(1)], { order: 'id-ascending', seed: 1, idStart: greatest });
    expect(pets.add(rex).json).toBe('{"id":9223372036854775807,"name":"Rex","categoryId":3}');
    expect(() => pets.add(rex)).toThrow(
      new RangeError('Failed to add a pet: expected a free id, got 9223372036854775807, which is taken'),
    );
    expect(pets.add({ ...rex, id: 2 }).id).toBe(2);
    // Pets of a scenario may have any id.
    expect(store([greatest]).add(rex).id).toBe(1);
  });
});

test.each(orders)('a %s store finds numbers and bigints together', (order) => {
  const present: Int64[] = [-5, 1, 2, 9007199254740991, 9007199254740992n, 9223372036854775807n];
  const pets = store(present, order);
  for (const id of present) expect(pets.get(id)?.id).toBe(id);
  for (const id of [-4, 0, 3, 9007199254740993n]) expect(pets.get(id)).toBeUndefined();
});

/** The store as one unsorted array. `rank` orders it, from a list of all possible ids. */
class NaivePets {
  pets: Pet[];
  nextId: number;
  constructor(
    readonly seedPets: Pet[],
    readonly idStart: number,
    readonly rank: Map<Int64, number>,
  ) {
    this.pets = [...seedPets];
    this.nextId = idStart;
  }
  list(status: PetStatus | undefined, skip: number, limit: number): Pet[] {
    return this.pets
      .filter((pet) => status === undefined || pet.status === status)
      .sort((a, b) => (this.rank.get(a.id) as number) - (this.rank.get(b.id) as number))
      .slice(skip, skip + limit);
  }
  has(id: Int64): boolean {
    return this.pets.some((pet) => pet.id === id);
  }
}

const someId = fc.integer({ min: 0, max: 24 });
const someStatus = fc.option(fc.constantFrom(...petStatuses), { nil: undefined });
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add'), status: someStatus }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('add at'), id: someId, status: someStatus }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('update'), id: someId, status: someStatus }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove'), id: someId }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('reset', 'save', 'restore') }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('list'),
      status: someStatus,
      skip: fc.integer({ min: 0, max: 6 }),
      limit: fc.integer({ min: 0, max: 8 }),
    }),
  },
) as fc.Arbitrary<{ do: string; id: number; status: PetStatus | undefined; skip: number; limit: number }>;

// Lists by status, chosen and skipped ids, updates, removals, resets and restored states, all in one.
test.each(orders)('over any sequence of changes the %s store equals a plain array', (order) => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ id: someId, status: someStatus }), { selector: ({ id }) => id, maxLength: 12 }),
      fc.nat({ max: 3 }),
      someId,
      fc.array(command, { maxLength: 40, size: 'max' }),
      (seedPets, seed, idStart, commands) => {
        const everyId = Array.from({ length: 70 }, (_, id) => id);
        const rank = new Map(ids(store(everyId, order, seed).list()).map((id, index) => [id, index]));
        const rankOf = (id: Int64) => rank.get(id) as number;
        const cursors = everyId.slice(0, 26);
        const seeded = seedPets.map(({ id, status }) => toStored({ ...pet(id), status }));
        const real = new PetStore(seeded, { order, seed, idStart });
        const naive = new NaivePets(seeded, idStart, rank);
        let saved = { real: real.capture(), pets: naive.pets, nextId: naive.nextId };
        const show = (pets: readonly Pet[]) => pets.map(({ id, name, status }) => `${id} ${name} ${status}`);
        for (const { do: verb, id, status, skip, limit } of commands) {
          if (verb === 'add') {
            while (naive.has(naive.nextId)) naive.nextId++;
            naive.pets = [...naive.pets, { ...rex, id: naive.nextId, status }];
            expect(real.add({ ...rex, status }).id).toBe(naive.nextId++);
          } else if (verb === 'add at' && naive.has(id)) {
            expect(() => real.add({ ...rex, id, status })).toThrow(RangeError);
          } else if (verb === 'add at') {
            naive.pets = [...naive.pets, { ...rex, id, status }];
            real.add({ ...rex, id, status });
          } else if (verb === 'update') {
            expect(real.update(id, { name: 'Max', status }) !== undefined).toBe(naive.has(id));
            naive.pets = naive.pets.map((pet) => (pet.id === id ? { ...pet, name: 'Max', status } : pet));
          } else if (verb === 'remove') {
            expect(real.remove(id)).toBe(naive.has(id));
            naive.pets = naive.pets.filter((pet) => pet.id !== id);
          } else if (verb === 'reset') {
            real.reset();
            naive.pets = [...naive.seedPets];
            naive.nextId = naive.idStart;
          } else if (verb === 'save') {
            saved = { real: real.capture(), pets: naive.pets, nextId: naive.nextId };
          } else if (verb === 'restore') {
            real.restore(saved.real);
            naive.pets = saved.pets;
            naive.nextId = saved.nextId;
          } else {
            expect(show(real.list({ status, skip, limit }))).toEqual(show(naive.list(status, skip, limit)));
          }
          expect(show(real.list())).toEqual(show(naive.list(undefined, 0, 99)));
          for (const each of petStatuses) {
            const row = naive.list(each, 0, 99);
            expect(show(real.list({ status: each }))).toEqual(show(row));
            expect(real.count(each)).toBe(row.length);
            const upTo = (id: Int64) => row.filter((one) => rankOf(one.id) <= rankOf(id)).length;
            expect(cursors.map((id) => real.positionAfter(id, each))).toEqual(cursors.map(upTo));
          }
          expect(real.size).toBe(naive.pets.length);
          for (const id of cursors) expect(real.get(id)?.name).toBe(naive.pets.find((one) => one.id === id)?.name);
        }
      },
    ),
    fuzz(40, 2_000),
  );
});
