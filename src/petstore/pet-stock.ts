import type { PetStatus } from './document.js';
import type { ListCache } from './list-cache.js';
import type { StoredPet } from './pet.js';

/** Stored pets in list order, which is the order of their ids or shuffled. */
export type PetRow = StoredPet[];

/** All stored pets, and the pets of each status, all in list order, with the cached responses of listPets. */
export interface PetStock {
  readonly all: PetRow;
  readonly byStatus: Record<PetStatus, PetRow>;
  readonly lists: ListCache;
}

/**
 * Groups all pets by status, in list order.
 * @param petRow all pets, in list order; becomes the field `all` of the result without a copy
 */
export function fillStock(petRow: PetRow): PetStock {
  const byStatus: PetStock['byStatus'] = { available: [], pending: [], sold: [] };
  for (const pet of petRow) if (pet.status !== undefined) byStatus[pet.status].push(pet);
  return { all: petRow, byStatus, lists: new Map() };
}

/** Copies the lists of pets, so that the lists can be changed. The pets themselves are immutable and shared. */
export const copyStock = ({ all, byStatus: { available, pending, sold }, lists }: PetStock): PetStock => ({
  all: [...all],
  byStatus: { available: [...available], pending: [...pending], sold: [...sold] },
  lists: new Map(lists),
});
