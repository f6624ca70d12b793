import { createPet } from './create-pet.js';
import type { OperationName } from './document.js';
import { getPet } from './get-pet.js';
import { listPets } from './list-pets.js';
import type { Operation } from './operation.js';

/** The operations of the interface document by their names. */
export const operations: Record<OperationName, Operation> = { listPets, createPet, getPet };
