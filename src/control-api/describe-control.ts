import { basePath } from '../petstore/document.js';
import { faultSchema } from '../scenario/fault-schema.js';
import { scenarioSchema } from '../scenario/scenario-schema.js';
import { fieldsOf, toJsonSchema } from '../validation/json-schema.js';
import type { AnySchema } from '../validation/schema.js';
import { clockInfoSchema } from './clock-operations.js';
import type { AnyControlOperation } from './control-operation.js';
import { version } from './har.js';
import { journalEntrySchema } from './journal-entry.js';
import { keyInfoSchema } from './key-operations.js';
import { stateSchema } from './state-schema.js';
import { verdictSchema } from './verdict-schema.js';

/** A JSON object of the description, loosely typed: tools read it, our code does not. */
type Json = Record<string, unknown>;

/** Operations that belong together, under one tag. */
export interface OperationGroup {
  name: string;
  description: string;
  operations: Record<string, AnyControlOperation>;
}

/** Schemas that are described once. */
const components: Record<string, AnySchema> = {
  ClockInfo: clockInfoSchema,
  Fault: faultSchema,
  JournalEntry: journalEntrySchema,
  KeyInfo: keyInfoSchema,
  Scenario: scenarioSchema,
  State: stateSchema,
  Verdict: verdictSchema,
};
const references = new Map(
  Object.entries(components).map(([name, schema]) => [schema, `#/components/schemas/${name}`] as const),
);

/** Refusals by their status: the name of the component, what it means, and an example. */
const refusals = {
  400: [
    'BadRequest',
    'The input has a mistake.',
    'invalid_request',
    'for: expected a duration such as "90s", got none',
  ],
  401: [
    'Unauthorized',
    'The server was started with a control token, and the request does not bring it.',
    'unauthorized',
    'The control API needs "Authorization: Bearer <control token>".',
  ],
  403: [
    'Forbidden',
    'The request comes from a page of another site, or names a host that is not allowed.',
    'forbidden',
    'The control API does not answer pages of other origins.',
  ],
  404: [
    'NotFound',
    'What the request names is not there.',
    'not_found',
    'There is no such API key; expected a key of the scenario, or its id as GET /__sim/keys shows it.',
  ],
  409: [
    'Conflict',
    'The name is taken.',
    'conflict',
    'There is a fault rule of this name already; expected another name.',
  ],
  413: ['ContentTooLarge', 'The body is too large.', 'payload_too_large', 'The body is larger than 5242880 bytes.'],
  415: [
    'UnsupportedMediaType',
    'The body is not JSON.',
    'unsupported_media_type',
    'The control API takes JSON; send Content-Type: application/json.',
  ],
  503: [
    'ServiceUnavailable',
    'As many as there may be are there.',
    'service_unavailable',
    'There are 20 readers of events, which is the limit; expected one of them to leave first.',
  ],
} as const;
type RefusalStatus = keyof typeof refusals;

/**
 * The OpenAPI 3.1 description of the control API.
 * @param controlUrl where the API is; default: where a server listens that was started without options
 */
export function describeControl(
  groups: readonly OperationGroup[],
  controlUrl = 'http://127.0.0.1:4010/__sim',
): Record<string, unknown> {
  const isSandbox = controlUrl.includes('/sandboxes/');
  const described = isSandbox ? groups.filter(({ name }) => name !== 'sandboxes') : groups;
  const paths: Record<string, Json> = {};
  for (const { name: tag, operations } of described) {
    for (const [name, operation] of Object.entries(operations)) {
      const { path, method } = operation;
      const about = describeOperation(name, tag, operation, isSandbox);
      paths[path] = { ...paths[path], [method.toLowerCase()]: about };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'petstore-sim control',
      version,
      description: [
        `Drives a simulator of the Petstore service. Its own API is under \`${basePath}\`; requests to the control API are never limited and never journaled.`,
        '',
        isSandbox
          ? 'This is the control API of one sandbox.'
          : 'Each sandbox has the same operations, but for those on sandboxes, below `/sandboxes/NAME`.',
      ].join('\n'),
      contact: { name: 'petstore-sim' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: controlUrl, description: 'The server that gave this description.' }],
    security: [{}, { controlToken: [] }],
    tags: described.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        controlToken: { type: 'http', scheme: 'bearer', description: 'Only where the server was started with one.' },
      },
      schemas: {
        ...Object.fromEntries(
          Object.entries(components).map(([name, schema]) => [name, toJsonSchema(schema, references)]),
        ),
        Error: {
          type: 'object',
          properties: {
            code: { type: 'string', description: 'Machine-readable error code.' },
            message: { type: 'string', description: 'What was expected, and what to do.' },
            status: { type: 'integer', description: 'The HTTP status code.' },
          },
          required: ['code', 'message', 'status'],
          additionalProperties: false,
        },
      },
      responses: Object.fromEntries(
        Object.entries(refusals).map(([status, [name, description, code, message]]) => [
          name,
          {
            description: `${description} Nothing changed.`,
            content: {
              'application/json': {
                schema: { $ref: '#/components/schemas/Error' },
                example: { code, message, status: Number(status) },
              },
            },
          },
        ]),
      ),
    },
  };
}

function describeOperation(operationId: string, tag: string, operation: AnyControlOperation, isSandbox: boolean): Json {
  const { method, path, summary, input } = operation;
  const example = (operation.example ?? {}) as Json;
  const fields = fieldsOf(input, references);
  const isInPath = ({ name }: { name: string }) => path.includes(`{${name}}`);
  const isInQuery = (field: { name: string }) => !isInPath(field) && method === 'GET';
  const parameters = fields
    .filter((field) => isInPath(field) || isInQuery(field))
    .map(({ name, schema: { description, ...schema }, required }) => ({
      name,
      in: isInPath({ name }) ? 'path' : 'query',
      ...(description !== undefined && { description }),
      required: isInPath({ name }) || required,
      schema,
      ...(example[name] !== undefined && { example: example[name] }),
    }));
  const body = fields.filter((field) => !isInPath(field) && !isInQuery(field));
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${summary}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(body.length > 0 && { requestBody: describeBody(operation, body) }),
    responses: describeResponses(operation, isSandbox),
  };
}

function describeBody({ path, input, example }: AnyControlOperation, fields: ReturnType<typeof fieldsOf>): Json {
  const whole = references.get(input);
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const { minProperties, maxProperties } = (input.json ?? {}) as Json;
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    ...(minProperties !== undefined && { minProperties, maxProperties }),
    additionalProperties: false,
  };
  const sent = Object.entries((example ?? {}) as Json).filter(([name]) => !path.includes(`{${name}}`));
  return {
    required: required.length > 0 || minProperties !== undefined,
    content: {
      'application/json': {
        schema: whole === undefined ? schema : { $ref: whole },
        ...(sent.length > 0 && { example: Object.fromEntries(sent) }),
      },
    },
  };
}

function describeResponses(operation: AnyControlOperation, isSandbox: boolean): Json {
  const { method, path, result, status = 200, contentType = 'application/json', refusals: own = [] } = operation;
  const statuses: RefusalStatus[] = [400, 401, 403, ...own];
  if (path.includes('{') || isSandbox) statuses.push(404);
  if (method !== 'GET') statuses.push(413, 415);
  const $ref = references.get(result);
  const item = $ref === undefined ? toJsonSchema(result, references) : { $ref };
  // OpenAPI 3.1 cannot say what the lines or events of a text are.
  const content =
    contentType === 'application/json' ? { schema: item } : { schema: { type: 'string' }, 'x-item-schema': item };
  const failures = [...new Set(statuses)].sort((a, b) => a - b);
  return {
    [status]: { description: 'Done.', content: { [contentType]: content } },
    ...Object.fromEntries(failures.map((each) => [each, { $ref: `#/components/responses/${refusals[each][0]}` }])),
  };
}
