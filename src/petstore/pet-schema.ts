import { fields, kind, oneOf, optional } from '../validation/schemas.js';
import { int64, isJson, text } from '../validation/value-schemas.js';
import type { JsonObject } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { newPetFields, petStatuses } from './document.js';

const status = optional(oneOf(...petStatuses));

const documentedFields = ['id', ...newPetFields];

/**
 * Schema of pet fields that the API's documentation does not define. The simulator stores such fields only with the
 * setting `unknownFields: echo`.
 */
export const extraFields = kind<JsonObject>(
  'a map of JSON values, without a documented field',
  (value) => isMap(value) && isJson(value) && !documentedFields.some((field) => Object.hasOwn(value, field)),
  { type: 'object', additionalProperties: true },
);

const extra = optional(extraFields);
const required = { id: optional(int64), name: text, categoryId: int64 };

/** Schema of a pet in a scenario's `pets`. With `status: null`, the pet has no status. */
export const scenarioPetSchema = fields({ ...required, status: optional(oneOf(...petStatuses, null)), extra });

/** Schema of a pet that code adds with `sim.pets.add`. */
export const petSchema = fields({ ...required, status, extra });

/** Schemas of the fields of NewPet that a change of a stored pet can contain. */
export const petChanges = { name: optional(text), categoryId: optional(int64), status };

/** Schema of changes to a stored pet, as passed to `sim.pets.update`. */
export const petChangesSchema = fields({ ...petChanges, extra });
