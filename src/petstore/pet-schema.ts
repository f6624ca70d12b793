import { type AnySchema, type Input, type Output, type Schema, transform } from '../validation/schema.js';
import { fields, kind, oneOf, optional } from '../validation/schemas.js';
import { int64, isJson } from '../validation/value-schemas.js';
import { type Int64, isInt64, normalizeInteger } from '../values/int64.js';
import type { JsonObject } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { petStatuses } from './document.js';
import { type NewPetField, newPetFieldNames, newPetFields, type Pet } from './pet.js';

const documentedFields = ['id', ...newPetFieldNames];

/**
 * Schema of pet fields that the API's documentation does not define. The simulator stores such fields only with the
 * setting `unknownFields: echo`.
 */
const extra = optional(
  kind<JsonObject>(
    'a map of JSON values, without a documented field',
    (value) => isMap(value) && isJson(value) && !documentedFields.some((field) => Object.hasOwn(value, field)),
    { type: 'object', additionalProperties: true },
  ),
);

type Rows = typeof newPetFields;
type Optional<Of> = Schema<Output<Of> | undefined, Input<Of> | undefined>;
type Schemas = {
  [Field in NewPetField]: Rows[Field]['isRequired'] extends true
    ? Rows[Field]['schema']
    : Optional<Rows[Field]['schema']>;
};

/** Creates a schema of each field of NewPet from the field's own. */
const schemaOfEach = (create: (schema: AnySchema, isRequired: boolean) => AnySchema) =>
  Object.fromEntries(
    newPetFieldNames.map((field) => [
      field,
      create(newPetFields[field].schema as AnySchema, newPetFields[field].isRequired),
    ]),
  );

const whereNeeded = (schema: AnySchema, isRequired: boolean) => (isRequired ? schema : optional(schema));
const added = { id: optional(int64), ...(schemaOfEach(whereNeeded) as Schemas) };

/** Schema of a pet in a scenario's `pets`. With `status: null`, the pet has no status. */
export const scenarioPetSchema = fields({ ...added, status: optional(oneOf(...petStatuses, null)), extra });

/** Schema of a pet that code adds with `sim.pets.add`. */
export const petSchema = fields({ ...added, extra });

/** Schemas of the fields of NewPet that a change of a stored pet can contain. */
export const petChanges = schemaOfEach((schema) => optional(schema)) as {
  [Field in NewPetField]: Optional<Rows[Field]['schema']>;
};

/** Schema of changes to a stored pet, as passed to `sim.pets.update`. */
export const petChangesSchema = fields({ ...petChanges, extra });

/**
 * Schema of an int64 as an exact JSON number, without the text form of scenarios. Exports and imports use the same
 * schema.
 */
export const exactInt64 = transform(
  kind<Int64>('a whole number within int64', isInt64, { type: 'integer' }),
  normalizeInteger,
);

/** Schema of a pet in an exported state. */
export const exportedPet = fields({
  id: exactInt64,
  ...schemaOfEach((schema, isRequired) => whereNeeded(schema === int64 ? exactInt64 : schema, isRequired)),
  extra,
}) as unknown as Schema<Pet>;
