import { latestMs } from '../values/instant.js';
import type { AnySchema } from './schema.js';
import * as values from './value-schemas.js';

type Json = Record<string, unknown>;

/** Schemas that are described once and referred to elsewhere, with the reference. */
type References = ReadonlyMap<AnySchema, string>;

/** Ten years, in milliseconds: the longest duration. */
const longestMs = 3_650 * 86_400_000;
const amount = '\\d+(\\.\\d+)?';

/** A text with a pattern, or a number with bounds; in one schema, because editors explain alternatives badly. */
const textOrNumber = (pattern: string, bounds: Json): Json => ({ type: ['string', 'number'], pattern, ...bounds });

/** 1970 to 9999, with the days that each month has; 29 February in every year. */
const day =
  '(19[7-9]\\d|[2-9]\\d{3})-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|[12]\\d))';
const time = '([01]\\d|2[0-3]):[0-5]\\d';

/** JSON Schemas of the schemas that read their value with code. Not in the schemas, because pages download those. */
const written = new Map<AnySchema, Json>([
  [values.duration, textOrNumber(`^${amount}(ms|s|m|h|d)$`, { minimum: 0, maximum: longestMs })],
  [
    values.wholeSeconds,
    // A fraction of an hour or a day can be whole seconds, and can not; only code tells.
    textOrNumber(`^(0*[1-9]\\d*000ms|0*[1-9]\\d*(\\.0+)?s|${amount.replace('+)?', '?[05]?0*)?')}m|${amount}(h|d))$`, {
      minimum: 1_000,
      maximum: longestMs,
      multipleOf: 1_000,
    }),
  ],
  [values.signedDuration, textOrNumber(`^-?${amount}(ms|s|m|h|d)$`, { minimum: -longestMs, maximum: longestMs })],
  [
    values.instant,
    textOrNumber(`^${day}T${time}(:[0-5]\\d(\\.\\d+)?)?(Z|[+-]${time})$`, { minimum: 0, maximum: latestMs }),
  ],
  [
    values.int64,
    // Without bounds for numbers: those of int64 are beyond the whole numbers that JavaScript has exactly.
    {
      type: ['integer', 'string'],
      pattern: `^(0|-?(${upTo('9223372036854775807')})|-9223372036854775808)$`,
    },
  ],
]);

/** A pattern for the decimal texts from 1 up to a limit, without zeros in front. */
function upTo(limit: string): string {
  const rest = (count: number) => (count === 0 ? '' : count === 1 ? '\\d' : `\\d{${count}}`);
  const below = Array.from(limit, (digit, at) => {
    const least = at === 0 ? 1 : 0;
    const most = Number(digit) - 1;
    if (most < least) return [];
    return [`${limit.slice(0, at)}${least === most ? least : `[${least}-${most}]`}${rest(limit.length - at - 1)}`];
  }).flat();
  return [`[1-9]\\d{0,${limit.length - 2}}`, ...below, limit].join('|');
}

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
