import type { AnySchema, Input, Output, Schema } from '../validation/schema.js';
import { oneOf, optional } from '../validation/schemas.js';
import { whole } from '../validation/value-schemas.js';
import { listLimit, petStatuses } from './document.js';

// Not in document.ts, because petstore-sim/seed loads that file, and a schema would double its size.

/**
 * Query parameters of listPets that select pets, and can be conditions of fault rules. The API's documentation: "status:
 * filters by availability status".
 */
export const listFilters = { status: oneOf(...petStatuses) };

/** Query parameters of listPets. The API's documentation: "limit: integer, optional", "status: optional". */
export const listQuery = { limit: whole(listLimit.minimum, listLimit.maximum), ...listFilters };

export type ListParameter = keyof typeof listQuery;

type Filters = typeof listFilters;

/** Schemas of the conditions of fault rules for the query of listPets. */
export const listConditions = Object.fromEntries(
  Object.entries<AnySchema>(listFilters).map(([name, schema]) => [name, optional(schema)]),
) as { [Name in keyof Filters]: Schema<Output<Filters[Name]> | undefined, Input<Filters[Name]> | undefined> };
