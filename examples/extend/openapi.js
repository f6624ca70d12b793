const ref = (name) => ({ $ref: `#/components/schemas/${name}` });
const response = (description, schema) => ({ description, content: { 'application/json': { schema } } });
const body = (name) => ({ required: true, content: { 'application/json': { schema: ref(name) } } });
const refused = {
  401: { $ref: '#/components/responses/Unauthorized' },
  429: { $ref: '#/components/responses/TooManyRequests' },
};
const missing = { 404: response('Not found.', ref('Error')) };
const invalid = { 400: response('Invalid body.', ref('Error')) };
const id = (name) => [{ name, in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }];
const operation = (operationId, responses, more = {}) => ({
  operationId,
  ...more,
  responses: { ...responses, ...refused },
});

/**
 * OpenAPI description of the routes in `handlers.js`. `GET /__sim/service.json` and `GET /__sim/openapi.json` include
 * it.
 */
export const openapi = {
  paths: {
    '/categories': {
      get: operation('listCategories', { 200: response('Categories.', { type: 'array', items: ref('Category') }) }),
      post: operation(
        'createCategory',
        { 201: response('Created.', ref('Category')), ...invalid },
        { requestBody: body('NewCategory') },
      ),
    },
    '/categories/{categoryId}': {
      parameters: id('categoryId'),
      get: operation('getCategory', { 200: response('The category.', ref('Category')), ...missing }),
    },
    '/orders': {
      get: operation(
        'listOrders',
        { 200: response('Orders.', { type: 'array', items: ref('Order') }) },
        { parameters: [{ name: 'reference', in: 'query', schema: { type: 'string' } }] },
      ),
      post: operation(
        'placeOrder',
        { 201: response('Placed.', ref('Order')), ...invalid, ...missing },
        { requestBody: body('NewOrder') },
      ),
    },
    '/orders/{orderId}': {
      parameters: id('orderId'),
      get: operation('getOrder', { 200: response('The order.', ref('Order')), ...missing }),
      patch: operation(
        'updateOrder',
        { 200: response('Updated.', ref('Order')), ...invalid, ...missing },
        { requestBody: body('OrderChanges') },
      ),
      delete: operation('cancelOrder', { 204: { description: 'Canceled.' }, ...missing }),
    },
    '/pets/{petId}': {
      patch: operation(
        'updatePet',
        { 200: response('Updated.', ref('Pet')), ...invalid, ...missing },
        { parameters: id('petId'), requestBody: body('PetChanges') },
      ),
      delete: operation('deletePet', { 204: { description: 'Deleted.' }, ...missing }, { parameters: id('petId') }),
    },
  },
  components: {
    schemas: {
      NewCategory: {
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 } },
        required: ['name'],
        additionalProperties: false,
      },
      Category: {
        type: 'object',
        properties: { id: { type: 'integer' }, name: { type: 'string' } },
        required: ['id', 'name'],
      },
      NewOrder: {
        type: 'object',
        properties: {
          petId: { type: 'integer', format: 'int64' },
          quantity: { type: 'integer', minimum: 1, default: 1 },
          reference: { type: 'string', description: 'Chosen by the client, to find the order again.' },
          customer: { type: 'string' },
        },
        required: ['petId'],
        additionalProperties: false,
      },
      Order: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          petId: { type: 'integer', format: 'int64' },
          quantity: { type: 'integer' },
          reference: { type: 'string' },
          customer: { type: 'string' },
          status: ref('OrderStatus'),
        },
        required: ['id', 'petId', 'quantity', 'reference', 'customer', 'status'],
      },
      OrderStatus: { enum: ['placed', 'approved', 'delivered'] },
      OrderChanges: {
        type: 'object',
        properties: { status: ref('OrderStatus') },
        required: ['status'],
        additionalProperties: false,
      },
      PetChanges: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          categoryId: { type: 'integer', format: 'int64' },
          status: ref('PetStatus'),
        },
        additionalProperties: false,
      },
    },
  },
};
