import type { PetStatus } from '../contract/document.js';
import type { Int64 } from '../values/int64.js';
import type { StoredPet } from './pet.js';

/** Pets in one order. */
export type PetRow = StoredPet[];

/** Pets as they are found: by id, all in list order, and those of each status in list order. */
export interface PetStock {
  readonly byId: Map<Int64, StoredPet>;
  readonly all: PetRow;
  readonly byStatus: Record<PetStatus, PetRow>;
}

/** @param pets in list order */
export function fillStock(pets: readonly StoredPet[]): PetStock {
  const byStatus: PetStock['byStatus'] = { available: [], pending: [], sold: [] };
  for (const pet of pets) if (pet.status !== undefined) byStatus[pet.status].push(pet);
  return { byId: new Map(pets.map((pet) => [pet.id, pet])), all: [...pets], byStatus };
}

/** The same pets, to be changed. */
export const copyStock = ({ byId, all, byStatus: { available, pending, sold } }: PetStock): PetStock => ({
  byId: new Map(byId),
  all: [...all],
  byStatus: { available: [...available], pending: [...pending], sold: [...sold] },
});

/**
 * Finds a pet. Where ids follow one another, as those that the service gives do, the id says the place in the row: among a
 * million pets that is a tenth of a request sooner than by the map, whose table no cache of a processor holds.
 */
export function findPet({ byId, all }: PetStock, id: Int64): StoredPet | undefined {
  const firstId = all[0]?.id;
  const guess = typeof id === 'number' && typeof firstId === 'number' ? all[id - firstId] : undefined;
  return guess?.id === id ? guess : byId.get(id);
}
