import { invalid } from '../control-api/control-error.js';
import { createServedService } from '../control-api/control-operations.js';
import { scenarioContent } from '../control-api/input-values.js';
import { refine } from '../validation/schema.js';
import { count } from '../validation/value-schemas.js';
import { formatInteger } from '../values/format-integer.js';
import { assumptions } from './assumptions.js';
import { petState } from './exported-pets.js';
import { describeService } from './openapi.js';
import { petOperations } from './pet-operations.js';
import type { PetStoreState } from './pet-store.js';
import { petstore } from './petstore.js';
import { generatedPets, maximumPetsWhileServing } from './resolve-pets.js';

/** States the maximum number of generated pets, for an error message. */
const maximumGenerated = (most: number) =>
  `at most ${formatInteger(most)} generated pets; start the server with a scenario that has more`;

/** The Petstore with all control operations. */
export const servedPetstore = /* @__PURE__ */ createServedService({
  main: petstore,
  title: 'the Petstore service',
  describe: describeService,
  assumptions,
  group: { name: 'pets', description: 'The stored pets.', operations: petOperations },
  state: {
    ...petState,
    check(scenario, { pets }) {
      // Allows more pets than usual, because the server that exported the state could hold them.
      const most = Math.max(maximumPetsWhileServing, pets.length);
      if (generatedPets(scenario) > most) throw invalid(`scenario: expected ${maximumGenerated(most)}`);
    },
  },
  counts: { schemas: { pets: count }, of: (copy) => ({ pets: (copy as PetStoreState).pets.length }) },
  loadable: refine(
    scenarioContent,
    (scenario) => !(generatedPets(scenario) > maximumPetsWhileServing),
    maximumGenerated(maximumPetsWhileServing),
  ),
});

/** Operations on one simulator of the Petstore, by name. */
export const { operations: controlOperations, sandboxOperations } = servedPetstore;
