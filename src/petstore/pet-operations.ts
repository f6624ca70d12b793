import { operation } from '../control-api/control-operation.js';
import { described, wholeNumber } from '../control-api/input-values.js';
import { fields, list, optional, string } from '../validation/schemas.js';
import { count } from '../validation/value-schemas.js';
import type { StoredPet } from './pet.js';

/** Maximum number of pets in one response of the control API. */
const maximumPets = 1_000;

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
      pets: list(
        fields({
          id: described(string, 'The identifier in decimal digits.'),
          name: string,
          status: optional(string),
          json: described(string, 'The pet as the API sends it.'),
        }),
      ),
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
};

const showPet = ({ id, name, status, json }: StoredPet) => ({
  id: String(id),
  name,
  ...(status !== undefined && { status }),
  json,
});
