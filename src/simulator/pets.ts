import type { PetStatus } from '../petstore/document.js';
import type { Pet, StoredPet } from '../petstore/pet.js';
import type { PetQuery, PetStore } from '../petstore/pet-store.js';
import { checkWith } from '../scenario/check-scenario.js';
import { petChangesSchema, petSchema } from '../scenario/pet-schema.js';
import { type Int64, normalizeInteger } from '../values/int64.js';

/** The fields of a pet to store. `id` only to choose it. */
export type PetInput = Omit<Pet, 'id'> & { id?: Int64 | undefined };

/** Fields of a pet to replace. */
export type PetChanges = { [Field in keyof Omit<Pet, 'id'>]?: Pet[Field] | undefined };

/** The pets of a simulator. Identifiers are int64: a `number` where that is exact, else a `bigint`; both are accepted. The pets it gives have `json`, the exact text of the API's answer. */
export interface Pets {
  readonly size: number;
  get(id: Int64): StoredPet | undefined;
  /** Pets in list order. */
  list(query?: PetQuery): StoredPet[];
  /** How many pets have the status; without one, how many there are. */
  count(status?: PetStatus): number;
  /**
   * Stores a pet.
   * @throws {ScenarioError} for a field that is missing, unknown or has a wrong value, {RangeError} when the id is taken, or none is left
   * @example sim.pets.add({ name: 'Rex', categoryId: 1, status: 'available' })
   */
  add(pet: PetInput): StoredPet;
  /**
   * Replaces fields of a pet; `undefined` when there is none with this id.
   * @throws {ScenarioError} for a field that is unknown or has a wrong value; in a `guarded` route it becomes a 400
   * @example sim.pets.update(1, { status: 'sold' })
   */
  update(id: Int64, changes: PetChanges): StoredPet | undefined;
  /** Removes a pet; `false` when there is none with this id. */
  remove(id: Int64): boolean;
}

/** @param isLogged whether a log replays the simulator, so that every change must be in the log */
export function createPets(store: PetStore, isLogged = false): Pets {
  const checkWritable = () => {
    if (isLogged)
      throw new Error('Failed to change a pet: with --data or --record, expected routes to keep data of their own');
  };
  return {
    get size() {
      return store.size;
    },
    get: (id) => store.get(normalizeInteger(id)),
    list: (query) => store.list(query),
    count: (status) => store.count(status),
    add(pet) {
      checkWritable();
      return store.add(checkWith(petSchema, pet, 'pet'));
    },
    update(id, changes) {
      checkWritable();
      return store.update(normalizeInteger(id), checkWith(petChangesSchema, changes, 'pet') as Partial<Pet>);
    },
    remove(id) {
      checkWritable();
      return store.remove(normalizeInteger(id));
    },
  };
}
