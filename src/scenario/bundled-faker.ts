import * as faker from '@faker-js/faker';

/** The module `@faker-js/faker` in a bundle for browsers, where package.json puts this file in the place of load-faker.ts. */
export const loadFaker = () => faker;
