import type { PetStatus } from './document.js';
import type { StoredPet } from './pet.js';

/** Pets in list order. */
export type PetRow = StoredPet[];

/** Lists of pets in list order: all pets, and the pets of each status. */
export interface PetStock {
  readonly all: PetRow;
  readonly byStatus: Record<PetStatus, PetRow>;
}

/** Groups pets by status. @param all pets in list order; the array is not copied */
export function fillStock(all: PetRow): PetStock {
  const byStatus: PetStock['byStatus'] = { available: [], pending: [], sold: [] };
  for (const pet of all) if (pet.status !== undefined) byStatus[pet.status].push(pet);
  return { all, byStatus };
}

/** Copies the lists of a pet stock, so that they can be changed. The pets themselves are shared. */
export const copyStock = ({ all, byStatus: { available, pending, sold } }: PetStock): PetStock => ({
  all: [...all],
  byStatus: { available: [...available], pending: [...pending], sold: [...sold] },
});
