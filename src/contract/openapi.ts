import type { AssumptionId } from './assumptions.js';
import {
  documentedPlans,
  getPetRemovedAtMs,
  interfaceVersion,
  listLimit,
  petStatuses,
  rateLimitHeaders,
  retryAfterHeader,
} from './document.js';

/** A JSON object of the description, typed loosely: tools read it, our code does not. */
type Json = Record<string, unknown>;

const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
const schema = (name: string) => ref('schemas', name);
const json = (content: Json): Json => ({ 'application/json': { schema: content } });

/** Marks what the document is silent on, by the id in assumptions.ts; several where each can be the cause. */
const assumes = (...ids: [AssumptionId, ...AssumptionId[]]): Json => ({
  'x-assumption': ids.length === 1 ? ids[0] : ids,
});

const rateLimit: Json = Object.fromEntries(Object.values(rateLimitHeaders).map((name) => [name, ref('headers', name)]));
const refusal: Json = {
  ...rateLimit,
  [retryAfterHeader]: ref('headers', retryAfterHeader),
  'Cache-Control': ref('headers', 'Cache-Control'),
};

const answer = (description: string, body: Json, headers: Json = rateLimit): Json => ({
  description,
  headers,
  content: json(body),
});
const error = (description: string, headers: Json = rateLimit): Json => answer(description, schema('Error'), headers);

/** What every operation can answer besides its own success and failures. */
const everywhere: Json = {
  '401': ref('responses', 'Unauthorized'),
  '403': ref('responses', 'BannedForbidden'),
  '418': ref('responses', 'BannedTeapot'),
  '429': ref('responses', 'TooManyRequests'),
  default: ref('responses', 'Failure'),
};

const thousands = (count: number) => count.toLocaleString('en-US');
const plans = Object.entries(documentedPlans).map(
  ([name, { minute, day }]) =>
    `| ${name[0]?.toUpperCase()}${name.slice(1)} | ${thousands(minute)} | ${thousands(day)} |`,
);
const removalDay = new Date(getPetRemovedAtMs).toISOString().slice(0, 10);

/**
 * The OpenAPI 3.1 description of the service: what the interface document says, and every answer that the simulator
 * adds where the document is silent, each marked `x-assumption` with an id of `assumptions`.
 */
export const openapi: Json = {
  openapi: '3.1.0',
  info: {
    title: 'Petstore',
    version: interfaceVersion,
    description: [
      'Browse and add animals (pets) that are available for adoption.',
      '',
      'The interface document leaves both hosts open: it names them {base_url} and {staging_url}, so the defaults of the server variables are examples.',
      '',
      'Requests that one API key may make:',
      '',
      '| Plan | Requests per minute | Requests per day |',
      '|---|---|---|',
      ...plans,
      '| Enterprise | Custom | Custom |',
      '',
      'Where the document is silent, `x-assumption` names the assumption of the simulator behind an answer. Headers and answers of an assumption that is not the default are optional.',
    ].join('\n'),
  },
  servers: [
    server('base_url', 'Production', 'https://api.petstore.example/v1'),
    server('staging_url', 'Staging, with the same path layout', 'https://staging.petstore.example/v1'),
  ],
  security: [{ bearer: [] }],
  tags: [{ name: 'pets', description: 'Animals that are available for adoption.' }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List animals',
        tags: ['pets'],
        parameters: [
          {
            name: 'limit',
            in: 'query',
            description: 'Maximum number of animals returned.',
            schema: { type: 'integer', ...listLimit },
          },
          { name: 'status', in: 'query', description: 'Filters by availability status.', schema: schema('PetStatus') },
        ],
        responses: {
          '200': answer('The animals.', schema('Pets'), {
            ...rateLimit,
            Link: {
              description: 'The next page (RFC 8288), when there is one.',
              schema: { type: 'string' },
              ...assumes('paging'),
            },
          }),
          '400': {
            ...error('A query parameter is invalid.'),
            ...assumes('limitOutOfRange', 'unknownStatusFilter', 'unknownQuery', 'paging'),
          },
          ...everywhere,
        },
      },
      post: {
        operationId: 'createPet',
        summary: 'Add an animal',
        tags: ['pets'],
        requestBody: { required: true, content: json(schema('NewPet')) },
        responses: {
          '201': answer('The created animal with its assigned id.', schema('Pet')),
          '400': error('The body is missing required fields or contains invalid values.'),
          '413': { ...error('The body is too large.'), ...assumes('bodyTooLarge') },
          '415': { ...error('The body is not application/json.'), ...assumes('contentType') },
          ...everywhere,
        },
      },
    },
    '/pets/{petId}': {
      get: {
        operationId: 'getPet',
        summary: 'Get an animal',
        tags: ['pets'],
        deprecated: true,
        description:
          'Deprecated: this operation is scheduled for removal on 5 December 2030. The replacement is GET /pets with the status filter.',
        'x-removal-date': removalDay,
        parameters: [
          {
            name: 'petId',
            in: 'path',
            required: true,
            description: 'Identifier of the animal.',
            schema: schema('Int64'),
          },
        ],
        responses: {
          '200': answer('The animal.', schema('Pet'), {
            ...rateLimit,
            Deprecation: {
              description: 'Since when the operation is deprecated (RFC 9745).',
              schema: { type: 'string' },
              ...assumes('deprecation'),
            },
            Sunset: {
              description: 'When the operation will be removed (RFC 8594).',
              schema: { type: 'string' },
              ...assumes('deprecation'),
            },
            Link: {
              description: 'The replacement (RFC 8288).',
              schema: { type: 'string' },
              ...assumes('deprecation'),
            },
          }),
          '400': { ...error('The petId is not int64 text.'), ...assumes('malformedPetId') },
          '404': error('The animal was not found.'),
          '410': { ...error(`The operation was removed on ${removalDay}.`), ...assumes('afterRemoval') },
          ...everywhere,
        },
      },
    },
  },
  components: {
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
    },
    schemas: {
      Int64: {
        type: 'integer',
        format: 'int64',
        description: 'A whole number from -2^63 to 2^63-1. Beyond 2^53-1 a JavaScript number rounds it.',
      },
      PetStatus: { type: 'string', enum: [...petStatuses] },
      NewPet: {
        type: 'object',
        required: ['name', 'categoryId'],
        properties: {
          name: { type: 'string', description: "The animal's name." },
          categoryId: { ...schema('Int64'), description: 'Identifier of the category the animal belongs to.' },
          status: { ...schema('PetStatus'), description: 'One of the allowed status values.' },
        },
      },
      Pet: {
        allOf: [
          schema('NewPet'),
          {
            type: 'object',
            required: ['id'],
            properties: {
              id: { ...schema('Int64'), description: 'Unique identifier assigned by the service on creation.' },
            },
          },
        ],
      },
      Pets: { type: 'array', items: schema('Pet'), maxItems: listLimit.maximum },
      Error: {
        type: 'object',
        required: ['code', 'message', 'status'],
        properties: {
          code: { type: 'string', description: 'Machine-readable error code.', ...assumes('errorCodes') },
          message: { type: 'string', description: 'Human-readable description.' },
          status: { type: 'integer', description: 'The HTTP status code.' },
        },
      },
    },
    headers: {
      [rateLimitHeaders.limit]: {
        description: 'The limit in force.',
        required: true,
        schema: { type: 'integer', minimum: 1 },
      },
      [rateLimitHeaders.remaining]: {
        description: 'Requests remaining in the current window.',
        required: true,
        schema: { type: 'integer', minimum: 0 },
      },
      [rateLimitHeaders.reset]: {
        description: 'Unix timestamp at which the limit resets.',
        required: true,
        schema: { type: 'integer', minimum: 0 },
      },
      [retryAfterHeader]: {
        description: 'How long to wait before the next request: whole seconds, or an HTTP date.',
        required: true,
        schema: { oneOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }] },
        ...assumes('retryAfterForm'),
      },
      'Cache-Control': {
        description: 'A refusal is not to be stored (RFC 6585).',
        required: true,
        schema: { const: 'no-store' },
      },
      'WWW-Authenticate': {
        description: 'The challenge (RFC 6750).',
        required: true,
        schema: { type: 'string', pattern: '^Bearer ' },
      },
      Allow: {
        description: 'The methods that work (RFC 9110).',
        required: true,
        schema: { type: 'string' },
      },
    },
    responses: {
      Unauthorized: error('The API key is missing or invalid.', {
        ...rateLimit,
        'WWW-Authenticate': ref('headers', 'WWW-Authenticate'),
      }),
      TooManyRequests: error('The rate limit is exceeded, or the API key is banned for a while.', refusal),
      BannedForbidden: { ...error('The API key is banned for a while.', refusal), ...assumes('banStatus') },
      BannedTeapot: { ...error('The API key is banned for a while.', refusal), ...assumes('banStatus') },
      UnknownRoute: { ...error('The path is not one of the API.'), ...assumes('unknownRoute') },
      UnknownMethod: {
        ...error('The path has no such method.', { ...rateLimit, Allow: ref('headers', 'Allow') }),
        ...assumes('unknownMethod'),
      },
      Failure: error('Any other failure: one that a scenario injects, or a bug of the simulator.'),
    },
  },
};

function server(variable: string, description: string, example: string): Json {
  return {
    url: `{${variable}}`,
    description: `${description}; the interface document leaves the host open.`,
    variables: { [variable]: { default: example, description: `An example; ends in the version segment /v1.` } },
  };
}
