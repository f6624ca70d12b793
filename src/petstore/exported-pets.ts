import { refuseDuplicates } from '../control-api/export-state.js';
import { lazyList } from '../control-api/lazy-result.js';
import { createStateSchema, type StateForm } from '../control-api/state-schema.js';
import { type Schema, transform } from '../validation/schema.js';
import { fields, kind, list, oneOf, optional } from '../validation/schemas.js';
import { isJson, text } from '../validation/value-schemas.js';
import { type Int64, isInt64, normalizeInteger } from '../values/int64.js';
import type { JsonObject } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { mapInSteps } from '../values/steps.js';
import { petStatuses } from './document.js';
import { type Pet, toStored } from './pet.js';
import type { PetStoreState } from './pet-store.js';
import { faultSchema } from './scenario-schema.js';

/**
 * Schema of an int64 as an exact JSON number, without the text form of scenarios. Exports and imports use the same
 * schema.
 */
const int64 = transform(kind<Int64>('a whole number within int64', isInt64, { type: 'integer' }), normalizeInteger);

const documented = ['id', 'name', 'categoryId', 'status'];
const extra = kind<JsonObject>(
  'a map of JSON values, without a documented field',
  (value) => isMap(value) && isJson(value) && !documented.some((field) => Object.hasOwn(value, field)),
  { type: 'object' },
);

const pet = fields({
  id: int64,
  name: text,
  categoryId: int64,
  status: optional(oneOf(...petStatuses)),
  extra: optional(extra),
}) satisfies Schema<Pet, unknown>;

/** Schema of the Petstore's pets in an exported state, and functions that read and write them. */
export const petState: StateForm = {
  schema: /* @__PURE__ */ createStateSchema(faultSchema, { pets: list(pet), nextId: int64 }),
  data: {
    write(copy) {
      const { pets, nextId } = copy as PetStoreState;
      return { pets: lazyList(exported(pets)), nextId };
    },
    *read({ pets, nextId }) {
      refuseDuplicates(
        'pets',
        'id',
        pets.map(({ id }) => id),
      );
      yield;
      return { pets: yield* mapInSteps(pets, toStored), nextId } satisfies PetStoreState;
    },
  },
};

function* exported(pets: readonly Pet[]): Generator<Pet> {
  for (const { id, name, categoryId, status, extra } of pets) {
    yield { id, name, categoryId, ...(status !== undefined && { status }), ...(extra !== undefined && { extra }) };
  }
}
