import { checkWith } from '../scenario/check-scenario.js';
import { type Int64, normalizeInteger } from '../values/int64.js';
import type { PetStatus } from './document.js';
import type { Pet, StoredPet } from './pet.js';
import { petChangesSchema, petSchema } from './pet-schema.js';
import type { PetQuery, PetStore } from './pet-store.js';

/** Fields of a pet to add. Default for `id`: the next free id. */
export type PetInput = Omit<Pet, 'id'> & { id?: Int64 | undefined };

/** Fields of a stored pet to replace. Omitted fields are unchanged. */
export type PetChanges = { [Field in keyof Omit<Pet, 'id'>]?: Pet[Field] | undefined };

/** The pets of a simulator. Ids are int64: a `number` up to 2^53-1, otherwise a `bigint`. Arguments can be both. */
export interface Pets {
  /** Number of all pets of the simulator. */
  readonly size: number;
  /** Returns a pet by id; `undefined` if no pet has the id. The pet's `json` is the exact text in responses. */
  get(id: Int64): StoredPet | undefined;
  /** Lists all pets, or the pets of a query, in the order of the scenario's setting `listOrder`. */
  list(query?: PetQuery): StoredPet[];
  /** Number of pets with a status, or of all pets without an argument. */
  count(status?: PetStatus): number;
  /**
   * Stores a new pet.
   * @throws {ScenarioError} for a missing, unknown or invalid field, {RangeError} if the id is taken or none is free
   * @example sim.pets.add({ name: 'Rex', categoryId: 1, status: 'available' })
   */
  add(pet: PetInput): StoredPet;
  /**
   * Replaces fields of a pet. Returns the changed pet, or `undefined` if no pet has the id.
   * @throws {ScenarioError} for an unknown or invalid field, to which a user's route wrapped in `guarded` responds with
   * 400
   * @example sim.pets.update(1, { status: 'sold' })
   */
  update(id: Int64, changes: PetChanges): StoredPet | undefined;
  /** Removes a pet by id. Returns `false` if no pet has the id. */
  remove(id: Int64): boolean;
}

/**
 * Creates the functions of `sim.pets`, which read and change the stored pets.
 * @param store returns the current store of pets
 * @param isLogged whether the simulator's state comes from a log of commands; changes by these functions then throw an
 * error
 */
export function createPets(store: () => PetStore, isLogged = false): Pets {
  const writable = () => {
    if (isLogged)
      throw new Error('Failed to change a pet: with --data or --record, a route can change only its own data');
    return store();
  };
  return {
    get size() {
      return store().size;
    },
    get: (id) => store().get(normalizeInteger(id)),
    list: (query) => store().list(query),
    count: (status) => store().count(status),
    add: (pet) => writable().add(checkWith(petSchema, pet, 'pet')),
    update: (id, changes) =>
      writable().update(normalizeInteger(id), checkWith(petChangesSchema, changes, 'pet') as Partial<Pet>),
    remove: (id) => writable().remove(normalizeInteger(id)),
  };
}
