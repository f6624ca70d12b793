import { fields, kind, oneOf, optional } from '../validation/schemas.js';
import { int64, isJson, text } from '../validation/value-schemas.js';
import type { JsonObject } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { petStatuses } from './document.js';

const status = optional(oneOf(...petStatuses));

const documentedFields = ['id', 'name', 'categoryId', 'status'];

/**
 * Schema of a pet's fields that NewPet does not define. The Petstore stores such fields only under the assumption
 * `unknownFields: echo`.
 */
export const extraFields = kind<JsonObject>(
  'a map of JSON values, without a documented field',
  (value) => isMap(value) && isJson(value) && !documentedFields.some((field) => Object.hasOwn(value, field)),
  { type: 'object', additionalProperties: true },
);

/** Schema of a pet in a scenario's `pets`. With `status: null`, the pet has no status. */
export const scenarioPetSchema = fields({
  id: optional(int64),
  name: text,
  categoryId: int64,
  status: optional(oneOf(...petStatuses, null)),
  extra: optional(extraFields),
});

/** Schema of a pet that code adds with `sim.pets.add`. */
export const petSchema = fields({
  id: optional(int64),
  name: text,
  categoryId: int64,
  status,
  extra: optional(extraFields),
});

/** Schema of changes to a stored pet, as passed to `sim.pets.update`. */
export const petChangesSchema = fields({
  name: optional(text),
  categoryId: optional(int64),
  status,
  extra: optional(extraFields),
});
