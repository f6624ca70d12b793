import type { AnySchema } from '../validation/schema.js';
import { oneOf } from '../validation/schemas.js';
import { int64, text } from '../validation/value-schemas.js';
import type { Every } from '../values/every.js';
import { type Int64, isInt64 } from '../values/int64.js';
import { type JsonObject, type JsonValue, stringifyJson } from '../values/json.js';
import { frozenCopy } from '../values/plain-data.js';
import { type PetStatus, petStatuses } from './document.js';

/** A pet as returned by the API. `status` is missing only under the scenario setting `defaultStatus: absent`. */
export interface Pet {
  /** Id of the pet, an int64: a `number` up to 2^53-1, otherwise a `bigint`. */
  readonly id: Int64;
  readonly name: string;
  /** Id of the pet's category, an int64: a `number` up to 2^53-1, otherwise a `bigint`. */
  readonly categoryId: Int64;
  readonly status?: PetStatus | undefined;
  /** Fields of the request body that NewPet does not define. Stored only under the assumption `unknownFields: echo`. */
  readonly extra?: JsonObject | undefined;
}

/** Name of a field of `NewPet`, the request body of createPet. */
export type NewPetField = Exclude<keyof Pet, 'id' | 'extra'>;

interface FieldRow {
  /** Schema of the field in scenarios and code. */
  readonly schema: AnySchema;
  readonly isRequired: boolean;
  /** Type and accepted values, in messages of createPet. */
  readonly type: string;
  readonly form: string;
  /** Whether createPet accepts a value. Unlike the schema, refuses an int64 as text, and accepts lone surrogates. */
  accepts(value: JsonValue): boolean;
}

export const isStatus = (value: unknown): value is PetStatus => petStatuses.includes(value as PetStatus);

const isText = (value: JsonValue) => typeof value === 'string';
const int64Form = 'a whole number from -2^63 to 2^63-1';
const statusForm = `one of ${petStatuses.join(', ')}`;

/**
 * Fields of NewPet, from which schemas, exports, the control API, the page, and the checks of createPet and calibrate
 * follow. The API's documentation: "name and categoryId are required", "status: one of the allowed status values".
 */
export const newPetFields = {
  name: { schema: text, isRequired: true, type: 'string', form: 'a string', accepts: isText },
  categoryId: { schema: int64, isRequired: true, type: 'int64', form: int64Form, accepts: isInt64 },
  status: { schema: oneOf(...petStatuses), isRequired: false, type: 'string', form: statusForm, accepts: isStatus },
} as const satisfies Record<NewPetField, FieldRow>;

export const newPetFieldNames = Object.keys(newPetFields) as NewPetField[];

/** Whether JSON has every required field of a NewPet, and only valid values in its fields. */
export const isNewPet = (value: JsonObject): boolean =>
  newPetFieldNames.every((field) => isValidField(field, value[field]));

/** Whether a field of a NewPet may have a value, or may be missing without one. */
export function isValidField(field: NewPetField, value: JsonValue | undefined): boolean {
  const { isRequired, accepts } = newPetFields[field];
  return value === undefined ? !isRequired : accepts(value);
}

/** A stored pet. Immutable: an update replaces the object. */
export interface StoredPet extends Pet {
  /** JSON text of the pet in responses, serialized once. Exact even for an int64 that a `number` would round. */
  readonly json: string;
}

// The copies of a pet name each field. In V8, a spread or a loop takes up to four times as long.

/** Creates a pet from fields that each have a value or `undefined`. */
export const petOf = (id: Int64, { name, categoryId, extra }: Omit<Pet, 'id' | 'status'>, status: Pet['status']): Pet =>
  ({ id, name, categoryId, status, extra }) satisfies Every<Pet>;

/**
 * Reads the fields of a NewPet, in their order.
 * @param read checks the value of a field and returns it
 */
export const readNewPet = (body: JsonObject, read: (field: NewPetField, value: JsonValue | undefined) => unknown) =>
  ({
    name: read('name', body.name),
    categoryId: read('categoryId', body.categoryId),
    status: read('status', body.status),
    extra: undefined,
  }) satisfies Record<keyof Omit<Pet, 'id'>, unknown> as { -readonly [Name in keyof Omit<Pet, 'id'>]: Pet[Name] };

/** Creates a stored pet, which also contains the pet's JSON text for responses. */
export const toStored = (pet: Pet): StoredPet => storeAs(pet.id, pet);

/** Creates a stored pet with an id. Values that are objects are frozen copies, so that nothing outside changes them. */
export function storeAs(id: Int64, { name, categoryId, status, extra }: Omit<Pet, 'id'>): StoredPet {
  const hasExtra = extra !== undefined && Object.keys(extra).length > 0;
  const statusField = status === undefined ? '' : `,"status":"${status}"`;
  const json = [
    `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${statusField}`,
    hasExtra ? `,${stringifyJson(extra).slice(1)}` : '}',
    // `join` instead of a template string saves 200 bytes per pet, because V8 stores template results as trees.
  ].join('');
  return { id, name, categoryId, status, extra: extra && frozenCopy(extra), json } satisfies Every<StoredPet>;
}
