import type { AnySchema } from './schema.js';
import * as values from './value-schemas.js';

type Json = Record<string, unknown>;

/** Schemas that are described once and referred to elsewhere, with the reference. */
type References = ReadonlyMap<AnySchema, string>;

const durationText = { type: 'string', pattern: '^\\d+(\\.\\d+)?(ms|s|m|h|d)$' };
const duration = { anyOf: [durationText, { type: 'number', minimum: 0 }] };

/** JSON Schemas of the schemas that read their value with code. Not in the schemas, because pages download those. */
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

/** Keywords that say nothing about which values are valid. */
const annotations = ['description', 'default', 'examples', 'title'];

/**
 * A schema as JSON Schema. What only code can check is left out.
 * @param references schemas inside this one that become a `$ref`
 */
export function toJsonSchema(schema: AnySchema, references: References = new Map()): Json {
  const inside = (part: AnySchema): Json => refer(part, references) ?? toJsonSchema(part, references);
  return { ...convert(schema, inside), ...fallbackOf(schema) };
}

function refer(schema: AnySchema, references: References): Json | undefined {
  for (let each: AnySchema | undefined = schema; each !== undefined; each = each.of) {
    const $ref = references.get(each);
    if ($ref !== undefined) return { $ref, ...pick(schema.json, (keyword) => annotations.includes(keyword)) };
  }
  return undefined;
}

function convert(schema: AnySchema, inside: (part: AnySchema) => Json): Json {
  for (let each: AnySchema | undefined = schema; each !== undefined; each = each.of) {
    const standIn = written.get(each);
    if (standIn !== undefined) return { ...structuredClone(standIn), ...schema.json };
  }
  const { json, entries, names, values, item, items, options } = schema;
  if (entries !== undefined) return { ...convertFields(entries, inside), ...json };
  if (values !== undefined) {
    const propertyNames = names === undefined ? {} : inside(names);
    const hasRule = Object.keys(propertyNames).some((keyword) => keyword !== 'type');
    return { type: 'object', ...(hasRule && { propertyNames }), additionalProperties: inside(values), ...json };
  }
  if (item !== undefined) return { type: 'array', items: inside(item), ...json };
  if (items !== undefined) {
    const { length } = items;
    return { type: 'array', prefixItems: items.map(inside), items: {}, minItems: length, maxItems: length, ...json };
  }
  const isDescribed = Object.keys(json ?? {}).some((keyword) => !annotations.includes(keyword));
  if (options !== undefined && !isDescribed) return { anyOf: options.map(inside), ...json };
  // JSON Schema has no Unicode classes.
  if (typeof json?.pattern === 'string') return { ...json, pattern: json.pattern.replaceAll('\\p{C}', '') };
  return { ...json };
}

/** The value of a field that is left out, where it is a single value. */
const fallbackOf = ({ fallback }: AnySchema): Json =>
  fallback === undefined || typeof fallback === 'object' ? {} : { default: fallback };

const pick = (json: Json | undefined, isWanted: (keyword: string) => boolean): Json =>
  Object.fromEntries(Object.entries(json ?? {}).filter(([keyword]) => isWanted(keyword)));

/** The fields of an input with their schemas, and whether each is required. */
export const fieldsOf = (
  { entries = {} }: AnySchema,
  references: References = new Map(),
): { name: string; schema: Json; required: boolean }[] =>
  Object.entries(entries).map(([name, field]) => ({
    name,
    schema: refer(field, references) ?? toJsonSchema(field, references),
    required: !field.isOptional,
  }));

function convertFields(entries: NonNullable<AnySchema['entries']>, inside: (part: AnySchema) => Json): Json {
  const required = Object.keys(entries).filter((name) => !entries[name]?.isOptional);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(entries).map(([name, field]) => [name, inside(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}
