import type { Faker } from '@faker-js/faker';
import { faker } from '@faker-js/faker/locale/en';
import { petStatuses } from '../contract/document.js';
import { nextInt64 } from '../values/int64.js';
import type { GeneratePets } from './resolve-pets.js';

/** The categories to draw from when the scenario lists none: those of the default scenario. */
const defaultCategories = [1, 2, 3, 4, 5];

/** After how many pets `onProgress` is called again. */
const progressEvery = 4_096;

/**
 * Makes pets with names by faker, for scenarios with `pets.generate`; 100,000 take a tenth of a second.
 * The counts are exact, the statuses mixed as if shuffled, and `seed` alone decides every value.
 * @example
 * import { createSimulator } from 'petstore-sim';
 * import { generatePets } from 'petstore-sim/seed';
 *
 * const scenario = { seed: 7, pets: { generate: { available: 900, pending: 80, sold: 20 } } };
 * const sim = createSimulator({ scenario, generatePets });
 */
export const generatePets: GeneratePets = (counts, { seed, firstId, categories, onProgress }) => {
  const { animal, helpers, number } = seededFaker(seed);
  const choices = categories.length > 0 ? categories : defaultCategories;
  const left = petStatuses.map((status) => ({ status, count: counts[status] ?? 0 }));
  const total = left.reduce((sum, { count }) => sum + count, 0);

  /** Draws the status of one of the pets that are left, each with the same chance, so that every count comes out exact. */
  const drawStatus = (made: number) => {
    let position = number.int(total - made - 1);
    const drawn = left.find(({ count }) => {
      position -= count;
      return position < 0;
    }) as (typeof left)[number];
    drawn.count--;
    return drawn.status;
  };

  let nextId = firstId;
  const pets = Array.from({ length: total }, (_, made) => {
    if (made % progressEvery === 0) onProgress?.(made, total);
    const id = nextId;
    nextId = nextInt64(id);
    return { id, name: animal.petName(), categoryId: helpers.arrayElement(choices), status: drawStatus(made) };
  });
  onProgress?.(total, total);
  return pets;
};

/**
 * A new faker for each call, because the shared one depends on earlier use and seeding. Its class is taken from the
 * shared instance, because the main entry of the package would bring all seventy languages along.
 */
function seededFaker(seed: number): Faker {
  const OwnFaker = faker.constructor as typeof Faker;
  return new OwnFaker({ locale: faker.rawDefinitions, seed });
}
