import type { AnySchema } from './schema.js';
import * as values from './value-schemas.js';

type Json = Record<string, unknown>;

const durationText = { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m|h|d)$' };
const duration = { anyOf: [durationText, { type: 'number', minimum: 0 }] };

/** The JSON Schema of schemas that read with code. Kept here, so that pages do not download it. */
const written = new Map<AnySchema, Json>([
  [values.duration, duration],
  [values.wholeSeconds, duration],
  [
    values.signedDuration,
    { anyOf: [{ ...durationText, pattern: durationText.pattern.replace('^', '^[-+]?') }, { type: 'number' }] },
  ],
  [
    values.instant,
    {
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'number', minimum: 0 },
      ],
    },
  ],
  [values.int64, { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^(0|-?[1-9][0-9]{0,18})$' }] }],
]);

/** A form as JSON Schema: what only code can check is left to the errors. */
export function toJsonSchema(schema: AnySchema): Json {
  for (let each: AnySchema | undefined = schema; each !== undefined; each = each.of) {
    const standIn = written.get(each);
    if (standIn !== undefined) return structuredClone(standIn);
  }
  const { json, entries, names, values, item, items, options } = schema;
  if (entries !== undefined) return convertFields(entries);
  if (values !== undefined) {
    const propertyNames = names === undefined ? {} : toJsonSchema(names);
    const hasRule = Object.keys(propertyNames).some((keyword) => keyword !== 'type');
    return { type: 'object', ...(hasRule && { propertyNames }), additionalProperties: toJsonSchema(values) };
  }
  if (item !== undefined) return { type: 'array', items: toJsonSchema(item), ...json };
  if (items !== undefined) return { type: 'array', prefixItems: items.map(toJsonSchema) };
  if (options !== undefined && json === undefined) return { anyOf: options.map(toJsonSchema) };
  // JSON Schema has no Unicode classes.
  if (typeof json?.pattern === 'string') return { ...json, pattern: json.pattern.replaceAll('\\p{C}', '') };
  return { ...json };
}

/** The fields of an input with their schemas, and whether each must be there. */
export const fieldsOf = ({ entries = {} }: AnySchema): { name: string; schema: Json; required: boolean }[] =>
  Object.entries(entries).map(([name, field]) => ({
    name,
    schema: toJsonSchema(field),
    required: !field.isOptional,
  }));

function convertFields(entries: NonNullable<AnySchema['entries']>): Json {
  const required = Object.keys(entries).filter((name) => !entries[name]?.isOptional);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(entries).map(([name, field]) => [name, toJsonSchema(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
