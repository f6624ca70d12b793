/** Configuration files of the compared servers. They give every server the same pets, responses and headers. */
import {
  businessKey,
  createdPet,
  firstPets,
  pets,
  plenty,
  rateHeaders,
  refusedBody,
  refusedHeaders,
  spentKey,
  spentLimit,
} from './servers/pets-data.mjs';
import { allRequests, distinctRequests, usualPath } from './works.mjs';

const json = (value) => JSON.stringify(value, null, 2);
const contentType = { 'Content-Type': 'application/json' };
const bearer = (key) => `Bearer ${key}`;

/** A request of the loads as a stub, for servers that match a request and send a constant. */
const toStub = ({ target, method, headers, status, value }) => {
  const { pathname, searchParams } = new URL(usualPath(target), 'http://127.0.0.1');
  return {
    ...{ method, status },
    path: pathname,
    query: Object.fromEntries(searchParams),
    authorization: headers.Authorization,
    headers: { ...contentType, ...(status === 429 ? refusedHeaders : rateHeaders) },
    body: JSON.stringify(value),
  };
};
const stubs = distinctRequests.map(toStub);

/** Stubs of all loads as the input of bench/servers/limit.mjs. */
export const stubsFile = () => json(allRequests.map(toStub));

/** Scenario of petstore-sim: one key never reaches its limits, and another one has none left for the day. */
export const ourScenario = () =>
  json({
    plans: { business: { minute: plenty, day: plenty } },
    keys: {
      [businessKey]: { plan: 'business' },
      [spentKey]: { plan: 'free', usage: { minute: 60, day: spentLimit } },
    },
    pets,
  });

export const jsonServerDatabase = () => json({ pets });

/** File for `--middlewares`, with which json-server 0.17 sets headers and rejects requests. */
export const jsonServerMiddleware = () => `module.exports = (req, res, next) => {
  if (req.get('authorization') === '${bearer(spentKey)}') {
    res.set(${JSON.stringify(refusedHeaders)});
    res.status(429).json(${JSON.stringify(refusedBody)});
    return;
  }
  res.set(${JSON.stringify(rateHeaders)});
  next();
};
`;

export const wiremockMappings = () =>
  json({
    mappings: stubs.map(({ method, path, authorization, query, status, headers, body }, at) => ({
      priority: at + 1,
      request: {
        method,
        urlPath: path,
        headers: { Authorization: { equalTo: authorization } },
        queryParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, { equalTo: value }])),
      },
      response: { status, headers, body },
    })),
  });

export const mountebankImposters = ({ port }) =>
  json({
    imposters: [
      {
        protocol: 'http',
        port,
        host: '127.0.0.1',
        recordRequests: false,
        stubs: stubs.map(({ method, path, authorization, query, status, headers, body }) => ({
          predicates: [{ equals: { method, path, query, headers: { Authorization: authorization } } }],
          responses: [{ is: { statusCode: status, headers: { ...headers, Connection: 'keep-alive' }, body } }],
        })),
      },
    ],
  });

export const stubbyStubs = () =>
  json(
    stubs.map(({ method, path, authorization, query, status, headers, body }) => ({
      request: {
        url: `^${path}$`,
        method,
        // Stubby reads a value as a regular expression.
        query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, `^${value}$`])),
        headers: { Authorization: authorization },
      },
      response: { status, headers, body },
    })),
  );

export const mockserverExpectations = () =>
  json(
    stubs.map(({ method, path, authorization, query, status, headers, body }) => ({
      httpRequest: {
        method,
        path,
        headers: { Authorization: [authorization] },
        queryStringParameters: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, [value]])),
      },
      httpResponse: {
        statusCode: status,
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
        body,
      },
    })),
  );

/** Configuration of Mockoon: a route over a list of data, and a rule that rejects the key without remaining limit. */
export function mockoonEnvironment({ port }) {
  const uuid = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const pairs = (headers) => Object.entries({ ...contentType, ...headers }).map(([key, value]) => ({ key, value }));
  const response = (number, fields) => ({
    uuid: uuid(number),
    body: '',
    latency: 0,
    statusCode: 200,
    label: '',
    headers: [],
    bodyType: 'INLINE',
    filePath: '',
    databucketID: '',
    sendFileAsBody: false,
    rules: [],
    rulesOperator: 'AND',
    disableTemplating: true,
    fallbackTo404: false,
    default: false,
    crudKey: 'id',
    callbacks: [],
    ...fields,
  });
  const rule = {
    target: 'header',
    modifier: 'Authorization',
    value: bearer(spentKey),
    invert: false,
    operator: 'equals',
  };
  return json({
    uuid: uuid(1),
    lastMigration: 33,
    name: 'pets',
    endpointPrefix: 'v1',
    latency: 0,
    port,
    hostname: '127.0.0.1',
    folders: [],
    routes: [
      {
        uuid: uuid(2),
        type: 'crud',
        documentation: '',
        method: '',
        endpoint: 'pets',
        responses: [
          response(3, { default: true, bodyType: 'DATABUCKET', databucketID: 'pets', headers: pairs(rateHeaders) }),
          response(4, {
            statusCode: 429,
            body: JSON.stringify(refusedBody),
            headers: pairs(refusedHeaders),
            rules: [rule],
          }),
        ],
        responseMode: null,
        streamingMode: null,
        streamingInterval: 0,
      },
    ],
    rootChildren: [{ type: 'route', uuid: uuid(2) }],
    proxyMode: false,
    proxyHost: '',
    proxyRemovePrefix: false,
    tlsOptions: {
      enabled: false,
      type: 'CERT',
      pfxPath: '',
      certPath: '',
      keyPath: '',
      caPath: '',
      passphrase: '',
    },
    cors: false,
    headers: [],
    proxyReqHeaders: [],
    proxyResHeaders: [],
    data: [{ uuid: uuid(5), id: 'pets', name: 'pets', documentation: '', value: JSON.stringify(pets) }],
    callbacks: [],
  });
}

/** OpenAPI description with an example for every response, which the server Prism sends. */
export function openapi() {
  const headers = (values) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        { schema: { type: 'integer', example: Number(value) }, example: Number(value) },
      ]),
    );
  const answer = (description, values, schema, example) => ({
    description,
    headers: headers(values),
    content: { 'application/json': { schema, example } },
  });
  const pet = { $ref: '#/components/schemas/Pet' };
  const error = { $ref: '#/components/schemas/Error' };
  const refusals = {
    401: { description: 'No key', content: { 'application/json': { schema: error } } },
    429: answer('Refused', refusedHeaders, error, refusedBody),
  };
  const status = { type: 'string', enum: ['available', 'pending', 'sold'] };
  return json({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    servers: [{ url: '/' }],
    security: [{ key: [] }],
    paths: {
      '/v1/pets': {
        get: {
          operationId: 'listPets',
          parameters: [
            { name: 'status', in: 'query', schema: status },
            { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } },
          ],
          responses: { 200: answer('Pets', rateHeaders, { type: 'array', items: pet }, firstPets), ...refusals },
        },
        post: {
          operationId: 'createPet',
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['name', 'categoryId'],
                  properties: { name: { type: 'string' }, categoryId: { type: 'integer' }, status },
                },
              },
            },
          },
          responses: { 201: answer('Created', rateHeaders, pet, createdPet), ...refusals },
        },
      },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Pet: {
          type: 'object',
          required: ['id', 'name', 'categoryId', 'status'],
          properties: { id: { type: 'integer' }, name: { type: 'string' }, categoryId: { type: 'integer' }, status },
        },
        Error: {
          type: 'object',
          required: ['code', 'message', 'status'],
          properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
        },
      },
    },
  });
}
