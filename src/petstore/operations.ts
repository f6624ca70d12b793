import { createOperationTable } from '../requests/operation-table.js';
import { basePath, getPetRemovedAtMs } from './document.js';
import { listFilters, listQuery } from './list-query.js';
import { newPetFieldNames } from './pet.js';

/**
 * Operations of the API. The API's documentation: "Operation name: listPets. Method and path: GET /pets", "status:
 * filters by availability status"; "Operation name: createPet. Method and path: POST /pets"; "Operation name: getPet.
 * Method and path: GET /pets/{petId}. Deprecated: this operation is scheduled for removal on 5 December 2030. The
 * replacement is GET /pets with the status filter."
 */
export const operationTable = /* @__PURE__ */ createOperationTable({
  listPets: { method: 'GET', path: '/pets', query: listQuery, conditions: Object.keys(listFilters) },
  createPet: {
    method: 'POST',
    path: '/pets',
    stores: {
      noun: 'pet',
      fields: { .../* @__PURE__ */ Object.fromEntries(newPetFieldNames.map((field) => [field])), status: 'available' },
      shownBy: ['name'],
      foundBy: 'GET /pets',
    },
  },
  getPet: {
    method: 'GET',
    path: '/pets/{petId}',
    params: (petId) => ({ petId }),
    deprecation: { removedAtMs: getPetRemovedAtMs, use: 'GET /pets with the status filter' },
  },
});
/** The service in recorded traffic. */
export const recordedPetstore = { basePath, operations: operationTable };

export type OperationName = (typeof operationTable.operations)[number];

export const isOperationName = (name: string | undefined): name is OperationName =>
  name !== undefined && Object.hasOwn(operationTable.rows, name);
