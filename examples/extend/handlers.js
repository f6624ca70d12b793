import { HttpResponse, http } from 'msw';
import { isInt64, parseInt64, parseJson, stringifyJson } from 'petstore-sim';
import { guarded } from 'petstore-sim/msw';
import { seededFaker } from 'petstore-sim/seed';
import * as v from 'valibot';
import { IndexedCollection } from './indexed-collection.js';

export { openapi } from './openapi.js';

const Name = v.pipe(v.string(), v.nonEmpty());
const Int64 = v.custom(isInt64, 'Invalid int64');
const Quantity = v.pipe(v.number(), v.integer(), v.minValue(1));

const Category = v.object({ id: v.number(), name: Name });
const NewCategory = v.strictObject({ name: Name });
const OrderStatus = v.picklist(['placed', 'approved', 'delivered']);
const Order = v.object({
  id: v.number(),
  petId: Int64,
  quantity: Quantity,
  reference: v.string(),
  customer: v.string(),
  status: OrderStatus,
});
const NewOrder = v.strictObject({
  petId: Int64,
  quantity: v.optional(Quantity, 1),
  reference: v.optional(v.string(), ''),
  customer: v.optional(v.string(), ''),
});
const PetChanges = v.partial(
  v.strictObject({ name: v.string(), categoryId: Int64, status: v.picklist(['available', 'pending', 'sold']) }),
);

/**
 * Creates msw handlers for operations that the API document lacks: categories, orders, and updating and deleting a pet.
 * Called for each simulator and again at each reset, so that their data starts anew.
 * @param {import('petstore-sim').Simulator} sim the simulator with the pets, keys and limits
 */
export async function handlers(sim) {
  const faker = seededFaker(sim.scenario.seed ?? 1);
  const categories = new IndexedCollection({ schema: Category });
  const orders = new IndexedCollection({ schema: Order });
  const names = faker.helpers.uniqueArray(faker.animal.type, 5);
  await categories.createMany(names.length, (index) => ({ id: index + 1, name: names[index] }));
  const pets = sim.pets.list();
  await orders.createMany(pets.length === 0 ? 0 : 20, (index) => ({
    id: index + 1,
    petId: faker.helpers.arrayElement(pets).id,
    quantity: 1,
    reference: faker.string.alphanumeric(8),
    customer: faker.person.fullName(),
    status: faker.helpers.arrayElement(OrderStatus.options),
  }));
  let lastCategoryId = categories.count();
  let lastOrderId = orders.count();

  /** Finds the order that the path names. Throws a 404 for an unknown one. */
  const orderOf = ({ orderId }) => orders.get(Number(orderId)) ?? notFound('order', 'orderId');

  return [
    http.get(
      '*/v1/categories',
      guarded(sim, 'listCategories', () => json(categories.all())),
    ),

    http.post(
      '*/v1/categories',
      guarded(sim, 'createCategory', async ({ request }) => {
        const { name } = await readBody(request, NewCategory);
        return json(await categories.create({ id: ++lastCategoryId, name }), 201);
      }),
    ),

    http.get(
      '*/v1/categories/:categoryId',
      guarded(sim, 'getCategory', ({ params }) =>
        json(categories.get(Number(params.categoryId)) ?? notFound('category', 'categoryId')),
      ),
    ),

    http.get(
      '*/v1/orders',
      guarded(sim, 'listOrders', ({ request }) => {
        const reference = new URL(request.url).searchParams.get('reference');
        const found = reference === null ? orders.all() : orders.findMany((order) => order.where({ reference }));
        return json(found);
      }),
    ),

    http.post(
      '*/v1/orders',
      guarded(sim, 'placeOrder', async ({ request }) => {
        const order = await readBody(request, NewOrder);
        if (sim.pets.get(order.petId) === undefined) notFound('pet', 'petId');
        return json(await orders.create({ id: ++lastOrderId, ...order, status: 'placed' }), 201);
      }),
    ),

    http.get(
      '*/v1/orders/:orderId',
      guarded(sim, 'getOrder', ({ params }) => json(orderOf(params))),
    ),

    http.patch(
      '*/v1/orders/:orderId',
      guarded(sim, 'updateOrder', async ({ params, request }) => {
        const { status } = await readBody(request, v.strictObject({ status: OrderStatus }));
        const changes = (order) => {
          order.status = status;
        };
        return json(await orders.update(orderOf(params), { data: changes }));
      }),
    ),

    http.delete(
      '*/v1/orders/:orderId',
      guarded(sim, 'cancelOrder', ({ params }) => {
        orders.delete(orderOf(params));
        return new HttpResponse(null, { status: 204 });
      }),
    ),

    http.patch(
      '*/v1/pets/:petId',
      guarded(sim, 'updatePet', async ({ params, request }) => {
        const changes = await readBody(request, PetChanges);
        const id = parseInt64(String(params.petId));
        const pet = id === undefined ? undefined : sim.pets.update(id, changes);
        return jsonText(pet === undefined ? notFound('pet', 'petId') : pet.json);
      }),
    ),

    http.delete(
      '*/v1/pets/:petId',
      guarded(sim, 'deletePet', ({ params }) => {
        const id = parseInt64(String(params.petId));
        if (id === undefined || !sim.pets.remove(id)) notFound('pet', 'petId');
        return new HttpResponse(null, { status: 204 });
      }),
    ),
  ];
}

const jsonText = (text, status = 200) =>
  new HttpResponse(text, { status, headers: { 'Content-Type': 'application/json' } });

/** Creates a JSON response with exact whole numbers. `HttpResponse.json` would round them above 2^53. */
const json = (value, status) => jsonText(stringifyJson(value), status);

/** Reads the request body by a schema, with exact whole numbers. Throws a 400 for an invalid body. */
async function readBody(request, schema) {
  const { success, output, issues } = v.safeParse(schema, parseJson(await request.text()));
  if (success) return output;
  throw error(400, 'invalid_request', `${v.getDotPath(issues[0]) ?? 'The body'}: ${issues[0].message}.`);
}

function notFound(what, parameter) {
  throw error(404, 'not_found', `There is no ${what} with this ${parameter}.`);
}

const error = (status, code, message) => HttpResponse.json({ code, message, status }, { status });
