import { notFound } from '../control-api/control-error.js';
import { operation } from '../control-api/control-operation.js';
import { described, removed, wholeNumber } from '../control-api/input-values.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import type { AnySchema, Output, Schema } from '../validation/schema.js';
import { fields, list, optional, string } from '../validation/schemas.js';
import { count, int64 } from '../validation/value-schemas.js';
import { type NewPetField, newPetFieldNames, newPetFields, type StoredPet } from './pet.js';
import { petChanges } from './pet-schema.js';
import type { PetStore } from './pet-store.js';
import { createPets } from './pets.js';

/** Maximum number of pets in one response of the control API. */
const maximumPets = 1_000;

type Rows = typeof newPetFields;

/** Fields of a listed pet by name: an int64 as text, a text of a fixed set as any text. */
type ListedFields = {
  [Field in NewPetField]: Rows[Field]['isRequired'] extends true
    ? Listed<Rows[Field]>
    : Schema<Output<Listed<Rows[Field]>> | undefined>;
};
type Listed<Row extends { type: string; schema: AnySchema }> = Row['type'] extends 'string' | 'int64'
  ? Schema<string>
  : Row['schema'];

const descriptions: Partial<Record<NewPetField, string>> = {
  categoryId: 'The identifier of the category in decimal digits.',
};

const listedFields = Object.fromEntries(
  newPetFieldNames.map((field) => {
    const { schema, type, isRequired } = newPetFields[field];
    const listed: AnySchema = ['string', 'int64'].includes(type) ? string : schema;
    const text = descriptions[field];
    const named = text === undefined ? listed : described(listed, text);
    return [field, isRequired ? named : optional(named)];
  }),
) as unknown as ListedFields;

const listedPet = fields({
  id: described(string, 'The identifier in decimal digits.'),
  ...listedFields,
  json: described(string, 'The pet as the API sends it.'),
});

const petId = described(int64, 'Identifier of the pet; as text beyond 2^53-1.');

export const petOperations = {
  listStoredPets: operation({
    method: 'GET',
    path: '/pets',
    summary:
      'Lists the stored pets in pages, in reverse list order. With a text, lists only pets that contain the text',
    input: fields({
      text: optional(described(string, 'Text that the JSON of a pet contains, case-insensitive.')),
      limit: optional(described(wholeNumber(1, maximumPets), 'Number of pets to list.'), 100),
      skip: optional(described(wholeNumber(0, Number.MAX_SAFE_INTEGER), 'Number of matching pets to leave out.'), 0),
    }),
    example: { limit: 2 },
    result: fields({
      pets: list(listedPet),
      count: described(count, 'Number of pets that match.'),
      total: described(count, 'Number of stored pets.'),
    }),
    run({ pets }, { text = '', limit, skip }) {
      const total = pets.size;
      const wanted = text.toLowerCase();
      const found = wanted === '' ? undefined : pets.list().filter(({ json }) => json.toLowerCase().includes(wanted));
      const size = found?.length ?? total;
      const end = Math.max(0, size - skip);
      const start = Math.max(0, end - limit);
      const page = found?.slice(start, end) ?? pets.list({ skip: start, limit: end - start });
      return { pets: page.reverse().map(showPet), count: size, total };
    },
  }),
  updateStoredPet: operation({
    method: 'PUT',
    path: '/pets/{id}',
    summary: 'Replaces fields of a stored pet; omitted fields are unchanged',
    input: fields({ id: petId, ...petChanges }),
    example: { id: '1', status: 'sold' },
    result: listedPet,
    run: (sim, { id, ...fields }) => showPet(writable(sim).update(id, fields) ?? unknownPet()),
  }),
  removeStoredPet: operation({
    method: 'DELETE',
    path: '/pets/{id}',
    summary: 'Removes a stored pet',
    input: fields({ id: petId }),
    example: { id: '2' },
    result: removed,
    run(sim, { id }) {
      if (!writable(sim).remove(id)) unknownPet();
      return { removed: String(id) };
    },
  }),
};

/** The stored pets, also of a server with a log, because the log records control operations. */
const writable = (sim: Simulator) => createPets(() => coreOf(sim).state.services.at(-1)?.data as PetStore);

function unknownPet(): never {
  throw notFound('Unknown pet; expected the id of a pet that GET /__sim/pets lists.');
}

function showPet(pet: StoredPet): Output<typeof listedPet> {
  const shown = newPetFieldNames.flatMap((field) => {
    const value = pet[field];
    return value === undefined ? [] : [[field, newPetFields[field].type === 'int64' ? String(value) : value]];
  });
  return { id: String(pet.id), ...Object.fromEntries(shown), json: pet.json };
}
