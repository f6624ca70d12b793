import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { AssumptionId } from './assumptions.js';
import { listLimit, petStatuses } from './document.js';
import { type NewPetField, newPetFieldNames, newPetFields } from './pet.js';

/** A JSON object in the OpenAPI description. Loosely typed, because only tools read the description. */
export type Json = Record<string, unknown>;

/** Creates a reference to a component of the OpenAPI description. */
export const ref = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });

/**
 * Marks a part of the OpenAPI description that the API's documentation does not describe. The mark `x-assumption`
 * contains the ids of the assumptions on which the part is based.
 */
export const assumes = (...ids: [AssumptionId, ...AssumptionId[]]): Json => ({
  'x-assumption': ids.length === 1 ? ids[0] : ids,
});

/**
 * Rate-limit headers of each response in the OpenAPI description. The API's documentation: "Every API response carries
 * these headers."
 */
export const rateLimit: Json = Object.fromEntries(
  Object.values(rateLimitHeaders).map((name) => [name, ref('headers', name)]),
);

/** Creates the OpenAPI description of a response with a JSON body. */
export const answer = (description: string, schema: string, example: unknown, headers: Json = rateLimit): Json => ({
  description,
  headers,
  content: { 'application/json': { schema: ref('schemas', schema), example } },
});

/** Creates the OpenAPI description of an error response, whose body is an Error object. */
export const error = (status: number, code: string, message: string, description: string, headers: Json = rateLimit) =>
  answer(description, 'Error', { code, message, status }, headers);

const refusal: Json = {
  ...rateLimit,
  [retryAfterHeader]: ref('headers', retryAfterHeader),
  'Cache-Control': ref('headers', 'Cache-Control'),
};
const { required: _, example: __, ...optionalRetryAfter } = retryAfter();

const banned = (status: number): Json => ({
  ...error(
    status,
    'key_banned',
    'The API key is banned because requests went on after a 429; retry in 120 seconds.',
    'The API key is temporarily banned. Wait for the time given in Retry-After.',
    refusal,
  ),
  ...assumes('banStatus'),
});

/** Creates the OpenAPI schema of an int64, which can exceed the exact range of a JavaScript number. */
export const int64 = (description: string): Json => ({
  type: 'integer',
  format: 'int64',
  description: `${description} From -2^63 to 2^63-1: beyond 2^53-1 a JavaScript number rounds it.`,
});

/**
 * Shared components of the OpenAPI description, such as schemas and headers. Also valid for tools that read OpenAPI
 * 3.0.
 */
export const components: Json = {
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'Authorization: Bearer <API_KEY>' },
  },
  schemas: {
    PetStatus: {
      type: 'string',
      enum: [...petStatuses],
      description: 'available: the pet is available. pending: it has the status pending. sold: it has the status sold.',
    },
    NewPet: {
      type: 'object',
      required: newPetFieldNames.filter((field) => newPetFields[field].isRequired),
      properties: newPetProperties(),
    },
    Pet: {
      allOf: [
        ref('schemas', 'NewPet'),
        {
          type: 'object',
          required: ['id'],
          properties: {
            id: int64('Unique identifier assigned by the service on creation.'),
          },
        },
      ],
    },
    Pets: { type: 'array', items: ref('schemas', 'Pet'), maxItems: listLimit.maximum },
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
      example: 60,
    },
    [rateLimitHeaders.remaining]: {
      description: 'Requests remaining in the current window.',
      required: true,
      schema: { type: 'integer', minimum: 0 },
      example: 59,
    },
    [rateLimitHeaders.reset]: {
      description: 'Unix timestamp at which the limit resets.',
      required: true,
      schema: { type: 'integer', minimum: 0 },
      example: 1767268860,
    },
    [retryAfterHeader]: retryAfter(),
    'Cache-Control': {
      description: 'Rejections must not be cached (RFC 6585).',
      required: true,
      schema: { type: 'string', enum: ['no-store'] },
      example: 'no-store',
    },
    'WWW-Authenticate': {
      description: 'The challenge (RFC 6750).',
      required: true,
      schema: { type: 'string', pattern: '^Bearer ' },
      example: 'Bearer realm="petstore"',
    },
  },
  responses: {
    Unauthorized: error(
      401,
      'unauthorized',
      'The Authorization header is missing; send "Authorization: Bearer <API_KEY>".',
      'The API key is missing or invalid.',
      {
        ...rateLimit,
        'WWW-Authenticate': ref('headers', 'WWW-Authenticate'),
        [retryAfterHeader]: { ...optionalRetryAfter, ...assumes('banStatus') },
      },
    ),
    TooManyRequests: error(
      429,
      'rate_limit_exceeded',
      'The free plan allows 60 requests a minute; retry in 60 seconds.',
      'The rate limit is exceeded. Wait for the time given in Retry-After before retrying, and use exponential backoff. Continuing to send requests after a 429 may lead to a temporary ban of the API key.',
      refusal,
    ),
    BannedForbidden: banned(403),
    BannedTeapot: banned(418),
  },
};

function newPetProperties(): Record<NewPetField, Json> {
  return {
    name: { type: 'string', description: "The pet's name." },
    categoryId: int64('Identifier of the category the pet belongs to.'),
    status: ref('schemas', 'PetStatus'),
  };
}

function retryAfter(): Json {
  return {
    description: 'Wait before the next request: whole seconds, or an HTTP date by the assumption retryAfterForm.',
    required: true,
    // Uses `anyOf` for Retry-After. Some validators read "60" both as a number and as text, which `oneOf` rejects.
    schema: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }] },
    example: 60,
    ...assumes('retryAfterForm'),
  };
}
