import type * as v from 'valibot';

type Json = Record<string, unknown>;

/** What of a valibot schema this file looks at. */
interface Shape {
  kind: string;
  type: string;
  pipe?: readonly (Shape & { metadata?: { jsonSchema?: Json }; description?: string })[];
  entries?: Record<string, Shape>;
  wrapped?: Shape;
  item?: Shape;
  items?: readonly Shape[];
  value?: unknown;
  options?: readonly unknown[];
}

/** A schema as JSON Schema, for people who read a description: checks that only code can do are left to the errors. */
export const toJsonSchema = (schema: v.GenericSchema): Json => convert(schema as unknown as Shape);

/** The fields of an input with their schemas, and whether each must be there. */
export function fieldsOf(schema: v.GenericSchema): { name: string; schema: Json; required: boolean }[] {
  const { properties = {}, required = [] } = toJsonSchema(schema) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field as Json,
    required: required.includes(name),
  }));
}

function convert(schema: Shape): Json {
  if (schema.pipe !== undefined) return convertPipe(schema.pipe);
  switch (schema.type) {
    case 'strict_object':
      return convertObject(schema.entries ?? {});
    case 'optional':
    case 'nullable':
      return convert(schema.wrapped as Shape);
    case 'array':
      return { type: 'array', items: convert(schema.item as Shape) };
    case 'tuple':
      return { type: 'array', prefixItems: (schema.items ?? []).map(convert) };
    case 'record':
      return { type: 'object', additionalProperties: convert(schema.value as Shape) };
    case 'union':
      return { anyOf: (schema.options as Shape[]).filter(({ type }) => type !== 'date').map(convert) };
    case 'picklist':
      return { enum: schema.options };
    case 'literal':
      return { const: (schema as { literal?: unknown }).literal };
    case 'string':
    case 'number':
    case 'boolean':
      return { type: schema.type };
    default:
      return {};
  }
}

/** The last schema that says more than "any", with what describes it. */
function convertPipe(pipe: NonNullable<Shape['pipe']>): Json {
  const { jsonSchema } = pipe.findLast(({ metadata }) => metadata?.jsonSchema !== undefined)?.metadata ?? {};
  const nested = pipe.filter(({ kind }) => kind === 'schema').map(convert);
  const description = pipe.findLast((item) => typeof item.description === 'string')?.description;
  const converted = jsonSchema ?? nested.findLast((item) => Object.keys(item).length > 0) ?? {};
  return { ...converted, ...(description !== undefined && { description }) };
}

function convertObject(entries: Record<string, Shape>): Json {
  const required = Object.entries(entries)
    .filter(([, { type }]) => type !== 'optional')
    .map(([name]) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(entries).map(([name, field]) => [name, convert(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
