import { Collection } from '@msw/data';
import { HttpResponse, http } from 'msw';
import { isInt64, parseInt64, parseJson } from 'petstore-sim';
import { guarded } from 'petstore-sim/msw';
import * as v from 'valibot';

const Category = v.object({ id: v.number(), name: v.string() });
const NewCategory = v.strictObject({ name: v.pipe(v.string(), v.nonEmpty()) });
const PetChanges = v.partial(
  v.strictObject({
    name: v.string(),
    categoryId: v.custom(isInt64, 'Invalid int64'),
    status: v.picklist(['available', 'pending', 'sold']),
  }),
);

/**
 * Operations that the interface document lacks: categories, and changing and removing a pet.
 * @param {import('petstore-sim').Simulator} sim simulator whose pets, keys and limits the handlers share
 */
export function handlers(sim) {
  const categories = new Collection({ schema: Category });
  const names = ['Dogs', 'Cats', 'Birds', 'Rabbits', 'Reptiles'];
  const seeded = categories.createMany(names.length, (index) => ({ id: index + 1, name: names[index] }));

  return [
    http.get(
      '*/v1/categories',
      guarded(sim, async () => {
        await seeded;
        return HttpResponse.json(categories.all());
      }),
    ),

    http.post(
      '*/v1/categories',
      guarded(sim, async ({ request }) => {
        const { name } = await readBody(request, NewCategory);
        await seeded;
        const category = await categories.create({ id: categories.count() + 1, name });
        return HttpResponse.json(category, { status: 201 });
      }),
    ),

    http.patch(
      '*/v1/pets/:petId',
      guarded(sim, async ({ params, request }) => {
        const changes = await readBody(request, PetChanges);
        const id = parseInt64(String(params.petId));
        const pet = id === undefined ? undefined : sim.pets.update(id, changes);
        if (pet === undefined) throw noSuchAnimal();
        // JSON text of the simulator, because JSON.stringify cannot write every int64.
        return new HttpResponse(pet.json, { headers: { 'Content-Type': 'application/json' } });
      }),
    ),

    http.delete(
      '*/v1/pets/:petId',
      guarded(sim, ({ params }) => {
        const id = parseInt64(String(params.petId));
        if (id === undefined || !sim.pets.remove(id)) throw noSuchAnimal();
        return new HttpResponse(null, { status: 204 });
      }),
    ),
  ];
}

/** Parses a body by a schema, with exact integers. Throws the 400 to respond with. */
async function readBody(request, schema) {
  const { success, output, issues } = v.safeParse(schema, parseBody(await request.text()));
  if (success) return output;
  throw error(400, 'invalid_request', `${v.getDotPath(issues[0]) ?? 'The body'}: ${issues[0].message}.`);
}

function parseBody(text) {
  try {
    return parseJson(text);
  } catch ({ message }) {
    throw error(400, 'invalid_request', `The body is not valid JSON: ${message}.`);
  }
}

const noSuchAnimal = () => error(404, 'not_found', 'There is no pet with this petId.');

const error = (status, code, message) => HttpResponse.json({ code, message, status }, { status });
