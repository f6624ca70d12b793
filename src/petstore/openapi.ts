import { formatInteger } from '../values/format-integer.js';
import { documentedNames } from '../values/window-fields.js';
import { documentedPlans, interfaceVersion, listLimit } from './document.js';
import type { ListParameter } from './list-query.js';
import { answer, assumes, components, error, type Json, rateLimit, ref } from './openapi-components.js';

/** Error responses that every operation in the OpenAPI description has. */
const everywhere: Json = {
  '401': ref('responses', 'Unauthorized'),
  '403': ref('responses', 'BannedForbidden'),
  '418': ref('responses', 'BannedTeapot'),
  '429': ref('responses', 'TooManyRequests'),
};

const tableRow = (...cells: string[]) => `| ${cells.join(' | ')} |`;

const plans = Object.entries(documentedPlans).map(([name, limits]) =>
  tableRow(
    `${name[0]?.toUpperCase()}${name.slice(1)}`,
    ...documentedNames.map((window) => formatInteger(limits[window])),
  ),
);

const rex = { id: 1, name: 'Rex', categoryId: 1, status: 'available' };
const milo = { id: 2, name: 'Milo', categoryId: 2, status: 'available' };
const bello = { name: 'Bello', categoryId: 3, status: 'pending' };

/**
 * Describes a response header that is sent only with some settings. Has no example, because contract tests expect every
 * header that has one.
 */
const optionalHeader = (description: string, marked: Json): Json => ({
  description,
  schema: { type: 'string' },
  ...marked,
});

/** Query parameters of listPets. */
const listParameters: Record<ListParameter, Json> = {
  limit: {
    description: 'Maximum number of pets returned.',
    schema: { type: 'integer', ...listLimit, example: 2 },
    example: 2,
  },
  status: {
    description: 'Filters by availability status.',
    schema: ref('schemas', 'PetStatus'),
    example: 'available',
  },
};

const paths: Json = {
  '/pets': {
    get: {
      operationId: 'listPets',
      summary: 'List pets',
      description:
        'Lists pets, optionally filtered by status. The result is paginated; paging parameters other than limit are not documented.',
      tags: ['pets'],
      parameters: Object.entries(listParameters).map(([name, parameter]) => ({ name, in: 'query', ...parameter })),
      responses: {
        '200': answer('The pets.', 'Pets', [rex, milo], {
          ...rateLimit,
          Link: optionalHeader('The next page (RFC 8288), when there is one.', assumes('paging')),
        }),
        '400': {
          ...error(
            400,
            'invalid_request',
            'limit is "0"; it must be a whole number from 1 to 100.',
            'A query parameter is invalid.',
          ),
          ...assumes('limitOutOfRange', 'unknownStatusFilter', 'unknownQuery', 'paging'),
        },
        ...everywhere,
      },
    },
    post: {
      operationId: 'createPet',
      summary: 'Add a pet',
      description: 'Stores a pet and assigns its id.',
      tags: ['pets'],
      requestBody: {
        required: true,
        description: 'The pet to add. name and categoryId are required.',
        content: { 'application/json': { schema: ref('schemas', 'NewPet'), example: bello } },
      },
      responses: {
        '201': answer('The created pet with its assigned id.', 'Pet', { id: 41, ...bello }),
        '400': error(
          400,
          'invalid_request',
          'name: expected text, got none.',
          'The body is missing required fields or contains invalid values.',
        ),
        '413': {
          ...error(413, 'payload_too_large', 'The body is larger than 65536 bytes.', 'The body is too large.'),
          ...assumes('bodyTooLarge'),
        },
        '415': {
          ...error(
            415,
            'unsupported_media_type',
            'The Content-Type must be application/json.',
            'The body is not application/json.',
          ),
          ...assumes('contentType'),
        },
        ...everywhere,
      },
    },
  },
  '/pets/{petId}': {
    get: {
      operationId: 'getPet',
      summary: 'Get a pet',
      tags: ['pets'],
      deprecated: true,
      description:
        'Fetches one pet by its identifier. Deprecated: this operation is scheduled for removal on 5 December 2030. The replacement is GET /pets with the status filter.',
      'x-removal-date': '2030-12-05',
      parameters: [
        {
          name: 'petId',
          in: 'path',
          required: true,
          description: 'Identifier of the pet.',
          // The example is repeated in the schema, because some contract tests read examples there.
          schema: { type: 'integer', format: 'int64', example: rex.id },
          example: rex.id,
        },
      ],
      responses: {
        '200': answer('The pet.', 'Pet', rex, {
          ...rateLimit,
          Deprecation: optionalHeader('Start of the deprecation (RFC 9745).', assumes('deprecation')),
          Sunset: optionalHeader('When the operation will be removed (RFC 8594).', assumes('deprecation')),
          Link: optionalHeader('The replacement (RFC 8288).', assumes('deprecation')),
        }),
        '400': {
          ...error(400, 'invalid_request', 'petId: expected int64 text.', 'The petId is not int64 text.'),
          ...assumes('malformedPetId'),
        },
        '404': error(404, 'not_found', 'There is no pet with this petId.', 'The pet was not found.'),
        '410': {
          ...error(410, 'gone', 'The operation was removed on 2030-12-05.', 'The operation was removed on 2030-12-05.'),
          ...assumes('afterRemoval'),
        },
        ...everywhere,
      },
    },
  },
};

/**
 * Creates the OpenAPI 3.1 description of the Petstore. Includes responses that the API's documentation leaves open,
 * marked `x-assumption` with an id of `assumptions`.
 * @param baseUrl base URL of the simulator's API; default: URL of a server started without options
 */
export function describeService(baseUrl = 'http://127.0.0.1:4010/v1'): Record<string, unknown> {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Petstore',
      version: interfaceVersion,
      description: [
        'Browse and add pets that are available for adoption.',
        '',
        'Limits of one API key:',
        '',
        tableRow('Plan', ...documentedNames.map((name) => `Requests per ${name}`)),
        tableRow('---', ...documentedNames.map(() => '---')),
        ...plans,
        tableRow('Enterprise', ...documentedNames.map(() => 'Custom')),
        '',
        'When a request exceeds the limit, the response is 429 Too Many Requests. Wait for the time given in the Retry-After header before retrying, and use exponential backoff. Continuing to send requests after a 429 may lead to a temporary ban of the API key.',
        '',
        '`x-assumption` marks a response that the interface document leaves open, with the id of the simulator’s assumption. Headers and responses of alternatives are optional. A fault rule can respond with any status.',
      ].join('\n'),
      contact: { name: 'petstore-sim' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [
      { url: baseUrl, description: 'The simulator.' },
      {
        url: 'https://api.petstore.example/v1',
        description: 'Production. An example: the interface document calls the address {base_url} and leaves it open.',
      },
      {
        url: 'https://staging.petstore.example/v1',
        description: 'Staging. An example: the interface document calls the address {staging_url} and leaves it open.',
      },
    ],
    security: [{ bearer: [] }],
    tags: [{ name: 'pets', description: 'Pets that are available for adoption.' }],
    paths,
    components,
  };
}

/** OpenAPI 3.1 description of the Petstore, with the base URL of a server started without options. */
export const openapi: Record<string, unknown> = describeService();
