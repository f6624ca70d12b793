import { invalidRequest, notFound } from '../requests/api-error.js';
import { parseInt64 } from '../values/int64.js';
import type { Operation } from './operation.js';

/** Handles the deprecated operation getPet. API documentation: "Operation name: getPet. GET /pets/{petId}." */
export const getPet: Operation = (_call, { pets, settings }, petId) => {
  const id = parseInt64(petId);
  if (id === undefined && settings.malformedPetId === 'reject') {
    throw invalidRequest('petId is not a whole number from -2^63 to 2^63-1.', 'malformedPetId');
  }
  const pet = id === undefined ? undefined : pets.get(id);
  if (pet === undefined)
    throw notFound('There is no pet with this petId.', id === undefined ? 'malformedPetId' : undefined);
  return { status: 200, body: pet.json };
};
