import * as faker from '@faker-js/faker';

/**
 * Returns the module `@faker-js/faker` in bundles for browsers, where package.json replaces load-faker.ts with this
 * file.
 */
export const loadFaker = () => faker;
