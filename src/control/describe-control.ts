import { fieldsOf } from '../schema/json-schema.js';
import type { AnyControlOperation } from './control-operation.js';

/** The version of the package. A test keeps it equal to package.json. */
export const version = '0.1.0';

/** A JSON object of the description, loosely typed: tools read it, our code does not. */
type Json = Record<string, unknown>;

const error = (description: string): Json => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

/** The OpenAPI 3.1 description of control operations. */
export function describeControl(operations: Record<string, AnyControlOperation>): Json {
  const paths: Record<string, Json> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const path = `/__sim${operation.path}`;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(name, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'petstore-sim control',
      version,
      description:
        'Drives the simulator. Every path below but /__sim/sandboxes is there for each sandbox too, under /__sim/sandboxes/NAME.',
    },
    servers: [{ url: '/', description: 'The server that gave this description' }],
    security: [{}, { controlToken: [] }],
    paths,
    components: {
      securitySchemes: {
        controlToken: { type: 'http', scheme: 'bearer', description: 'Only where the server was started with one.' },
      },
      schemas: {
        Error: {
          type: 'object',
          properties: { code: { type: 'string' }, message: { type: 'string' }, status: { type: 'integer' } },
          required: ['code', 'message', 'status'],
          additionalProperties: false,
        },
      },
    },
  };
}

function describeOperation(
  name: string,
  { method, path, summary, input, status, contentType }: AnyControlOperation,
): Json {
  const fields = fieldsOf(input);
  const inPath = (field: { name: string }) => path.includes(`{${field.name}}`);
  const inQuery = (field: { name: string }) => !inPath(field) && method === 'GET';
  const parameters = fields
    .filter((field) => inPath(field) || inQuery(field))
    .map(({ name, schema, required }) => ({
      name,
      in: inPath({ name }) ? 'path' : 'query',
      required: inPath({ name }) || required,
      schema,
    }));
  const body = fields.filter((field) => !inPath(field) && !inQuery(field));
  return {
    operationId: name,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body.length > 0 && { requestBody: describeBody(body) }),
    responses: {
      [status ?? 200]: { description: 'Done', content: { [contentType ?? 'application/json']: { schema: {} } } },
      default: error('Not done, and nothing changed; the message says what was expected'),
    },
  };
}

function describeBody(fields: ReturnType<typeof fieldsOf>): Json {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}
