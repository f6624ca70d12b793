import { refine } from '../validation/schema.js';
import { either, fields, list, optional, string } from '../validation/schemas.js';
import { count, int64 } from '../validation/value-schemas.js';
import { listConditions } from './list-query.js';
import { scenarioPetSchema } from './pet-schema.js';

/** Maximum number of pets that a scenario can generate, limited by the memory of a small machine. */
const maximumPets = 10_000_000;

/** Schemas of the scenario fields that only the Petstore has. */
export const petFields = {
  ids: optional(fields({ start: optional(int64) })),
  categories: optional(list(int64)),
  pets: optional(
    either(
      list(scenarioPetSchema),
      fields({
        generate: refine(
          fields({
            available: optional(count),
            pending: optional(count),
            sold: optional(count),
            locale: optional(string),
          }),
          ({ available = 0, pending = 0, sold = 0 }) => available + pending + sold <= maximumPets,
          'at most 10,000,000 pets in all',
        ),
      }),
      fields({ file: string }),
    ),
  ),
};

/** Schemas of the fault-rule conditions that only the Petstore has. */
export const petConditions = {
  ...listConditions,
  petId: optional(int64),
};
