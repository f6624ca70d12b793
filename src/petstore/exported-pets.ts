import { refuseDuplicates } from '../control-api/export-state.js';
import { lazyList } from '../control-api/lazy-result.js';
import { createStateSchema, type StateForm } from '../control-api/state-schema.js';
import { list } from '../validation/schemas.js';
import { mapInSteps } from '../values/steps.js';
import { type Pet, petOf, toStored } from './pet.js';
import { exactInt64, exportedPet } from './pet-schema.js';
import type { PetStoreState } from './pet-store.js';
import { faultSchema } from './scenario-schema.js';

/** Schema of the Petstore's pets in an exported state, and functions that read and write them. */
export const petState: StateForm = {
  schema: /* @__PURE__ */ createStateSchema(faultSchema, { pets: list(exportedPet), nextId: exactInt64 }),
  data: {
    write(copy) {
      const { pets, nextId } = copy as PetStoreState;
      return { pets: lazyList(exported(pets)), nextId };
    },
    *read({ pets, nextId }) {
      refuseDuplicates(
        'pets',
        'id',
        pets.map(({ id }) => id),
      );
      yield;
      return { pets: yield* mapInSteps(pets, toStored), nextId } satisfies PetStoreState;
    },
  },
};

function* exported(pets: readonly Pet[]): Generator<Pet> {
  for (const pet of pets) yield petOf(pet.id, pet, pet.status);
}
