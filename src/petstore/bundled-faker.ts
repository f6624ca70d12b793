import * as faker from '@faker-js/faker';

/** Returns faker in bundles for browsers. package.json replaces load-faker.ts with this file. */
export const loadFaker = () => faker;
