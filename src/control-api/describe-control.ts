import { entryFor, fieldsOf, type References, toJsonSchema } from '../validation/json-schema.js';
import type { AnySchema } from '../validation/schema.js';
import { clockInfoSchema } from './clock-operations.js';
import type { AnyControlOperation } from './control-operation.js';
import { faultContent } from './fault-operations.js';
import { scenarioContent } from './input-values.js';
import { journalEntrySchema } from './journal-entry.js';
import { keyInfoSchema } from './key-operations.js';
import { version } from './run-report.js';
import type { ControlOperations, OperationGroup, ServiceControl } from './served-service.js';
import { verdictSchema } from './verdict-schema.js';

/** JSON object of an OpenAPI description, loosely typed because only tools read it. */
type Json = Record<string, unknown>;

/**
 * Error responses of the OpenAPI description by status: component name, description, error code and example message.
 */
const refusals = {
  400: [
    'BadRequest',
    'The input has a mistake.',
    'invalid_request',
    'for: expected a duration such as "90s", got none',
  ],
  401: [
    'Unauthorized',
    'The server requires a control token, which the request lacks.',
    'unauthorized',
    'The control API needs "Authorization: Bearer <control token>".',
  ],
  403: [
    'Forbidden',
    'The request comes from a page of another site, or its host is not allowed.',
    'forbidden',
    'The control API does not serve pages of other origins.',
  ],
  404: [
    'NotFound',
    'The name or path in the request does not exist.',
    'not_found',
    'Unknown API key; expected a key of the scenario, or its id from GET /__sim/keys.',
  ],
  409: ['Conflict', 'The name is taken.', 'conflict', 'The name of the fault rule is taken; expected another name.'],
  413: ['ContentTooLarge', 'The body is too large.', 'payload_too_large', 'The body is larger than 5242880 bytes.'],
  415: [
    'UnsupportedMediaType',
    'The body is not JSON.',
    'unsupported_media_type',
    'The control API expects JSON; send Content-Type: application/json.',
  ],
  503: [
    'ServiceUnavailable',
    'A limit is reached.',
    'service_unavailable',
    'Expected at most 20 event streams of this sandbox; close one first, or start the server with a higher --max-streams.',
  ],
} as const;
type RefusalStatus = keyof typeof refusals;

/**
 * Creates the OpenAPI 3.1 description of the control API.
 * @param controlUrl control URL of the server; default: the URL of a server without options
 */
export function describeControl(
  groups: readonly OperationGroup[],
  { main, title, state }: ServiceControl<ControlOperations>,
  controlUrl = 'http://127.0.0.1:4010/__sim',
): Record<string, unknown> {
  /** Named schemas under `components` of the control API's OpenAPI description. */
  const components: Record<string, AnySchema> = {
    ClockInfo: clockInfoSchema,
    Fault: main.rules.faultSchema,
    JournalEntry: journalEntrySchema,
    KeyInfo: keyInfoSchema,
    Scenario: main.rules.schema,
    State: state.schema,
    Verdict: verdictSchema,
  };
  const referenceTo = (name: string) => `#/components/schemas/${name}`;
  const references = new Map(Object.entries(components).map(([name, schema]) => [schema, referenceTo(name)]));
  // Describes a scenario in an operation's input by the schema `Scenario`. The input schema `scenarioContent` accepts
  // any map, because a later check of the scenario reports the mistakes.
  references.set(scenarioContent, referenceTo('Scenario'));
  references.set(faultContent, referenceTo('Fault'));
  const isSandbox = controlUrl.includes('/sandboxes/');
  const described = isSandbox ? groups.filter(({ name }) => name !== 'sandboxes') : groups;
  const paths: Record<string, Json> = {};
  for (const { name: tag, operations } of described) {
    for (const [name, operation] of Object.entries(operations)) {
      const { path, method } = operation;
      const about = describeOperation(name, tag, operation, isSandbox, references);
      paths[path] = { ...paths[path], [method.toLowerCase()]: about };
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'petstore-sim control',
      version,
      description: [
        `Drives a simulator of ${title}. Its own API is under \`${main.basePath}\`; requests to the control API are never limited and never journaled.`,
        '',
        isSandbox
          ? 'This is the control API of one sandbox.'
          : 'Each sandbox has the same operations below `/sandboxes/NAME`, except those on sandboxes.',
      ].join('\n'),
      contact: { name: 'petstore-sim' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: controlUrl, description: 'The server of this description.' }],
    security: [{}, { controlToken: [] }],
    tags: described.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        controlToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'Required if the server was started with a control token.',
        },
      },
      schemas: {
        ...Object.fromEntries(
          Object.entries(components).map(([name, schema]) => [name, toJsonSchema(schema, references)]),
        ),
        Error: {
          type: 'object',
          properties: {
            code: { type: 'string', description: 'Machine-readable error code.' },
            message: { type: 'string', description: 'The expectation, and a remedy.' },
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

function describeOperation(
  operationId: string,
  tag: string,
  operation: AnyControlOperation,
  isSandbox: boolean,
  references: References,
): Json {
  const { method, path, summary, input, bodyField } = operation;
  const example = (operation.example ?? {}) as Json;
  const fields = fieldsOf(input, references);
  const isInPath = ({ name }: { name: string }) => path.includes(`{${name}}`);
  const isInBody = (field: { name: string }) =>
    !isInPath(field) && (bodyField === undefined ? method !== 'GET' : field.name === bodyField);
  const parameters = fields
    .filter((field) => !isInBody(field))
    .map(({ name, schema: { description, ...schema }, required }) => ({
      name,
      in: isInPath({ name }) ? 'path' : 'query',
      ...(description !== undefined && { description }),
      required: isInPath({ name }) || required,
      schema,
      ...(example[name] !== undefined && { example: example[name] }),
    }));
  const body = fields.filter(isInBody);
  return {
    operationId,
    tags: [tag],
    summary,
    description: `${summary}.`,
    ...(parameters.length > 0 && { parameters }),
    ...(body.length > 0 && { requestBody: describeBody(operation, body, references) }),
    responses: describeResponses(operation, isSandbox, references),
  };
}

function describeBody(
  { path, input, example, bodyField }: AnyControlOperation,
  fields: ReturnType<typeof fieldsOf>,
  references: References,
): Json {
  const [field] = fields;
  if (bodyField !== undefined && field !== undefined) {
    return {
      required: true,
      content: { 'text/plain': { schema: field.schema, example: ((example ?? {}) as Json)[bodyField] } },
    };
  }
  const whole = entryFor(references, input);
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

function describeResponses(operation: AnyControlOperation, isSandbox: boolean, references: References): Json {
  const { method, path, result, status = 200, contentType = 'application/json', refusals: own = [] } = operation;
  const statuses: RefusalStatus[] = [400, 401, 403, ...own];
  if (path.includes('{') || isSandbox) statuses.push(404);
  if (method !== 'GET') statuses.push(413, 415);
  const $ref = references.get(result);
  const item = $ref === undefined ? toJsonSchema(result, references) : { $ref };
  // `x-item-schema` describes one line or event of a streamed response. OpenAPI 3.1 has no field for that.
  const content =
    contentType === 'application/json' ? { schema: item } : { schema: { type: 'string' }, 'x-item-schema': item };
  const failures = [...new Set(statuses)].sort((a, b) => a - b);
  return {
    [status]: { description: 'Done.', content: { [contentType]: content } },
    ...Object.fromEntries(failures.map((each) => [each, { $ref: `#/components/responses/${refusals[each][0]}` }])),
  };
}
