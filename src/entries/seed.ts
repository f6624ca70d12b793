import type { Faker } from '@faker-js/faker';
import { localeChain } from '../petstore/generate-pets.js';
import { loadFaker } from '../petstore/load-faker.js';

export { generatePets } from '../petstore/generate-pets.js';

/**
 * Creates a separate `Faker`, for data of custom routes. The same seed gives the same values; the global `faker` is not
 * used.
 * @param seed for example the `seed` of the scenario
 * @param locale a locale of faker, such as `ja` or `pt_BR`; default `en`
 * @throws {RangeError} for an unknown locale
 * @example
 * import { seededFaker } from 'petstore-sim/seed';
 *
 * const faker = seededFaker(7, 'ja');
 * const owner = { name: faker.person.fullName(), city: faker.location.city() };
 */
export const seededFaker = (seed: number, locale = 'en'): Faker =>
  new (loadFaker().Faker)({ locale: localeChain(locale), seed });
