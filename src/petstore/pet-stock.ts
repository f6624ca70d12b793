import type { PetStatus } from './document.js';
import type { StoredPet } from './pet.js';

/** Pets in one order. */
export type PetRow = StoredPet[];

/** Pets as they are listed: all, and those of each status. */
export interface PetStock {
  readonly all: PetRow;
  readonly byStatus: Record<PetStatus, PetRow>;
}

/** @param all in list order; the stock takes the array itself */
export function fillStock(all: PetRow): PetStock {
  const byStatus: PetStock['byStatus'] = { available: [], pending: [], sold: [] };
  for (const pet of all) if (pet.status !== undefined) byStatus[pet.status].push(pet);
  return { all, byStatus };
}

/** The same pets, to be changed. */
export const copyStock = ({ all, byStatus: { available, pending, sold } }: PetStock): PetStock => ({
  all: [...all],
  byStatus: { available: [...available], pending: [...pending], sold: [...sold] },
});
