import { describe, expect, test, vi } from 'vitest';
import { createSimulator, ScenarioError } from '../../src/entries/index.js';
import { generatePets, seededFaker } from '../../src/entries/seed.js';
import { isInt64 } from '../../src/values/int64.js';

const options = { seed: 7, firstId: 1, categories: [1, 2, 3] };
const authorization = { authorization: 'Bearer free-key' };

describe('generatePets', () => {
  test('generates the same pets for the same seed', () => {
    const counts = { available: 30, pending: 8, sold: 4 };
    expect(generatePets(counts, options)).toEqual(generatePets(counts, options));
  });

  test('generates other names, categories and statuses for another seed', () => {
    const counts = { available: 30, pending: 30, sold: 30 };
    const one = generatePets(counts, options);
    const other = generatePets(counts, { ...options, seed: 8 });
    for (const field of ['name', 'categoryId', 'status'] as const) {
      expect(one.map((pet) => pet[field])).not.toEqual(other.map((pet) => pet[field]));
    }
  });

  test('generates exactly the requested number of pets per status', () => {
    const pets = generatePets({ available: 30, pending: 8, sold: 4 }, options);
    const count = (status: string) => pets.filter((pet) => pet.status === status).length;
    expect([pets.length, count('available'), count('pending'), count('sold')]).toEqual([42, 30, 8, 4]);
  });

  test.each([{}, { available: 0 }, { pending: undefined }])('generates no pets for %o', (counts) => {
    expect(generatePets(counts, options)).toEqual([]);
  });

  test('mixes the statuses instead of grouping them', () => {
    const statuses = generatePets({ available: 100, pending: 100, sold: 100 }, options).map(({ status }) => status);
    for (const part of [statuses.slice(0, 50), statuses.slice(-50)]) {
      expect(new Set(part)).toEqual(new Set(['available', 'pending', 'sold']));
    }
  });

  test('counts ids up from the first, also across 2^53', () => {
    const pets = generatePets({ available: 3 }, { ...options, firstId: Number.MAX_SAFE_INTEGER });
    expect(pets.map(({ id }) => id)).toEqual([9007199254740991, 9007199254740992n, 9007199254740993n]);
    const beyond = generatePets({ sold: 100 }, { ...options, firstId: 9007199254740993n });
    expect(beyond.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => 9007199254740993n + BigInt(n)));
  });

  test('uses ids up to the greatest int64, and rejects more pets', () => {
    const pets = generatePets({ available: 2 }, { ...options, firstId: 9223372036854775806n });
    expect(pets.map(({ id }) => id)).toEqual([9223372036854775806n, 9223372036854775807n]);
    expect(() => generatePets({ available: 3 }, { ...options, firstId: 9223372036854775806n })).toThrow(RangeError);
  });

  test('uses exactly the categories of the list, large ones digit for digit', () => {
    const categories = [4, 9223372036854775807n];
    const pets = generatePets({ available: 50 }, { ...options, categories });
    expect(new Set(pets.map(({ categoryId }) => categoryId))).toEqual(new Set(categories));
  });

  test('uses categories 1 to 5 without a list', () => {
    const pets = generatePets({ available: 100 }, { ...options, categories: [] });
    expect(new Set(pets.map(({ categoryId }) => categoryId))).toEqual(new Set([1, 2, 3, 4, 5]));
  });

  test('generates well-formed and varied names that are not empty', () => {
    const names = generatePets({ available: 1_000 }, options).map(({ name }) => name);
    expect(names.filter((name) => name.trim() === '' || name !== name.trim() || !name.isWellFormed())).toEqual([]);
    expect(new Set(names).size).toBeGreaterThan(500);
  });

  test('generates these pets for seed 7, in every version and on every system', () => {
    const pets = generatePets({ available: 3, sold: 2 }, options);
    expect(pets.map(({ name, categoryId, status }) => `${name} ${categoryId} ${status}`)).toEqual([
      'Elmo 2 sold',
      'Americo 1 available',
      'Joel 2 sold',
      'Garett 2 available',
      'Mohammed 3 available',
    ]);
  });

  test('draws Japanese names for the locale ja, and the names of the language for a locale without names', () => {
    const namesOf = (locale: string) => generatePets({ available: 50, locale }, options).map(({ name }) => name);
    expect(namesOf('ja').filter((name) => !/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}々]+$/u.test(name))).toEqual([]);
    expect(namesOf('fr_CA')).toEqual(namesOf('fr'));
    expect(namesOf('ta_IN')).toEqual(namesOf('en'));
  });

  test('draws names of many scripts for the locale mixed, with emoji, combining marks and very long names', () => {
    const names = generatePets({ available: 1_000, locale: 'mixed' }, options).map(({ name }) => name);
    for (const script of ['Latin', 'Arabic', 'Hebrew', 'Han', 'Hangul', 'Cyrillic', 'Greek', 'Thai', 'Georgian']) {
      expect(
        names.some((name) => new RegExp(`\\p{sc=${script}}`, 'u').test(name)),
        script,
      ).toBe(true);
    }
    expect(names.some((name) => /\p{Extended_Pictographic}\u200d/u.test(name))).toBe(true);
    expect(names.some((name) => /\p{L}\p{M}/u.test(name) && name === name.normalize('NFD'))).toBe(true);
    expect(names.some((name) => name.length > 150)).toBe(true);
    expect(names.filter((name) => !name.isWellFormed())).toEqual([]);
  });

  test('rejects an unknown locale with the nearest one', () => {
    const scenario = { pets: { generate: { available: 1, locale: 'jp' } } };
    expect(() => createSimulator({ scenario, generatePets })).toThrow(
      /pets\.generate: expected a locale of faker, such as en, ja or pt_BR, got "jp"; did you mean ja\?/,
    );
  });

  test('loads faker for the first pet, not before', () => {
    // No other code in a synchronous step loads a module of Node.
    const load = vi.spyOn(process, 'getBuiltinModule');
    try {
      createSimulator({ generatePets });
      generatePets({}, options);
      expect(load).not.toHaveBeenCalled();
      generatePets({ sold: 1 }, options);
      expect(load).toHaveBeenCalledWith('node:module');
    } finally {
      load.mockRestore();
    }
  });

  test('generates 100,000 pets', () => {
    const pets = generatePets({ available: 60_000, pending: 30_000, sold: 10_000 }, options);
    expect(pets).toHaveLength(100_000);
    expect(pets.every(({ id }) => isInt64(id))).toBe(true);
  });
});

describe('a scenario with pets.generate', () => {
  const generate = { available: 60, pending: 20, sold: 20 };

  test('starts with generated pets, with its first id and categories', async () => {
    const sim = createSimulator({
      scenario: { ids: { start: 9007199254740993n }, categories: [7], pets: { generate } },
      generatePets,
    });
    expect([sim.pets.count('available'), sim.pets.count('pending'), sim.pets.count('sold')]).toEqual([60, 20, 20]);
    const response = await sim.fetch('http://petstore.test/v1/pets/9007199254740993', { headers: authorization });
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(
      /^\{"id":9007199254740993,"name":"[^"]+","categoryId":7,"status":"[a-z]+"\}$/,
    );
  });

  test('assigns to the next pet the id after the last generated one', async () => {
    const sim = createSimulator({ scenario: { ids: { start: 9007199254740993n }, pets: { generate } }, generatePets });
    const response = await sim.fetch('http://petstore.test/v1/pets', {
      method: 'POST',
      headers: { ...authorization, 'content-type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });
    expect(await response.text()).toBe('{"id":9007199254741093,"name":"Rex","categoryId":1,"status":"available"}');
  });

  test('gives the same bytes for the same seed and others for another', async () => {
    const list = async (seed: number) => {
      const sim = createSimulator({ scenario: { seed, pets: { generate } }, generatePets });
      const response = await sim.fetch('http://petstore.test/v1/pets?limit=100', { headers: authorization });
      return response.text();
    };
    expect(await list(3)).toBe(await list(3));
    expect(await list(3)).not.toBe(await list(4));
  });

  test('restores the generated pets on reset', () => {
    const sim = createSimulator({ scenario: { pets: { generate } }, generatePets });
    const before = sim.pets.list();
    sim.pets.remove(1);
    sim.reset();
    expect(sim.pets.list()).toEqual(before);
  });

  test('names petstore-sim/seed if no generator was passed', () => {
    expect(() => createSimulator({ scenario: { pets: { generate } } })).toThrow(ScenarioError);
    expect(() => createSimulator({ scenario: { pets: { generate } } })).toThrow(/pets\.generate.*petstore-sim\/seed/);
  });
});

describe('seededFaker', () => {
  test('gives the same values for the same seed and locale, independent of other draws', () => {
    const words = (faker: ReturnType<typeof seededFaker>) => [faker.person.fullName(), faker.location.city()];
    const first = seededFaker(7, 'ja');
    seededFaker(8).person.fullName();
    expect(words(first)).toEqual(words(seededFaker(7, 'ja')));
    expect(words(seededFaker(7, 'ja'))).not.toEqual(words(seededFaker(7)));
    expect(words(seededFaker(7))).not.toEqual(words(seededFaker(8)));
  });

  test('rejects an unknown locale', () => {
    expect(() => seededFaker(7, 'mixed')).toThrow(RangeError);
  });
});
