import { durationAmount, durationText } from '../values/duration.js';
import { latestMs } from '../values/instant.js';
import type { AnySchema } from './schema.js';
import * as values from './value-schemas.js';

type Json = Record<string, unknown>;

/** Schemas that the JSON Schema defines once, with the `$ref` by which other places refer to them. */
export type References = ReadonlyMap<AnySchema, string>;

/** Maximum duration in a scenario: ten years. */
const longestMs = 3_650 * 86_400_000;
const amount = '\\d+(\\.\\d+)?';
const duration = durationText.source;

/**
 * Creates one JSON Schema for both a text with a pattern and a number with bounds. Editors show alternatives poorly.
 */
const textOrNumber = (pattern: string, bounds: Json): Json => ({ type: ['string', 'number'], pattern, ...bounds });

/** Pattern for a date from 1970 to 9999, with the days of each month. Accepts 29 February in every year. */
const day =
  '(19[7-9]\\d|[2-9]\\d{3})-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]\\d|30)|02-(0[1-9]|[12]\\d))';
const time = '([01]\\d|2[0-3]):[0-5]\\d';

/**
 * Handwritten JSON Schemas for values that code parses, such as the duration `5s`. They are in this separate file so
 * that browser pages do not download them.
 */
const written = new Map<AnySchema, Json>([
  [values.duration, textOrNumber(duration, { minimum: 0, maximum: longestMs })],
  [
    values.wholeSeconds,
    // Pattern for durations of whole seconds, such as `90s`. Fractions of hours and days, and sums, are not checked,
    // because a pattern cannot test them.
    textOrNumber(
      `^(0*[1-9]\\d*000 ?ms|0*[1-9]\\d*(\\.0+)? ?s|${amount.replace('+)?', '?[05]?0*)?')} ?m(in)?|${amount} ?(h|d(ays?)?)|${durationAmount}( ?${durationAmount})+|\\d+(:\\d\\d){1,2})$`,
      { minimum: 1_000, maximum: longestMs, multipleOf: 1_000 },
    ),
  ],
  [values.signedDuration, textOrNumber(duration.replace('^', '^-?'), { minimum: -longestMs, maximum: longestMs })],
  [
    values.instant,
    textOrNumber(`^${day}T${time}(:[0-5]\\d(\\.\\d+)?)?(Z|[+-]${time})$`, { minimum: 0, maximum: latestMs }),
  ],
  [
    values.int64,
    // The JSON Schema of int64 values has no numeric bounds, because JavaScript cannot represent the bounds exactly.
    {
      type: ['integer', 'string'],
      pattern: `^(0|-?(${upTo('9223372036854775807')})|-9223372036854775808)$`,
    },
  ],
]);

/** Pattern for decimal texts from 1 to a limit, without leading zeros. */
function upTo(limit: string): string {
  const rest = (count: number) => (count === 0 ? '' : count === 1 ? '\\d' : `\\d{${count}}`);
  const below = Array.from(limit, (digit, index) => {
    const least = index === 0 ? 1 : 0;
    const most = Number(digit) - 1;
    if (most < least) return [];
    return [
      `${limit.slice(0, index)}${least === most ? least : `[${least}-${most}]`}${rest(limit.length - index - 1)}`,
    ];
  }).flat();
  return [`[1-9]\\d{0,${limit.length - 2}}`, ...below, limit].join('|');
}

/** JSON Schema keywords that do not restrict the valid values. */
const annotations = ['description', 'default', 'examples', 'title'];

/**
 * Converts a schema to JSON Schema. Omits checks that only code can express.
 * @param references nested schemas to replace by a `$ref`
 */
export function toJsonSchema(schema: AnySchema, references: References = new Map()): Json {
  return { ...convert(schema, (part) => referOrConvert(part, references)), ...fallbackOf(schema) };
}

/** Finds the map entry of a schema; without an entry, finds the entry of the refined schema (`of`). */
export const entryFor = <Entry>(entries: ReadonlyMap<AnySchema, Entry>, schema: AnySchema): Entry | undefined =>
  entries.get(schema) ?? (schema.of && entryFor(entries, schema.of));

function referOrConvert(schema: AnySchema, references: References): Json {
  const $ref = entryFor(references, schema);
  if ($ref === undefined) return toJsonSchema(schema, references);
  const keywords = Object.entries(schema.json ?? {}).filter(([keyword]) => annotations.includes(keyword));
  return { $ref, ...Object.fromEntries(keywords) };
}

function convert(schema: AnySchema, inside: (part: AnySchema) => Json): Json {
  const { json, entries, names, values, suggested, item, items, options } = schema;
  const standIn = entryFor(written, schema);
  if (standIn !== undefined) return { ...structuredClone(standIn), ...json };
  if (entries !== undefined) return { ...convertFields(entries, inside), ...json };
  if (values !== undefined) {
    const propertyNames = names === undefined ? {} : inside(names);
    const hasRule = Object.keys(propertyNames).some((keyword) => keyword !== 'type');
    return {
      type: 'object',
      ...(suggested && { properties: Object.fromEntries(suggested.map((name) => [name, inside(values)])) }),
      ...(hasRule && { propertyNames }),
      additionalProperties: inside(values),
      ...json,
    };
  }
  if (item !== undefined) return { type: 'array', items: inside(item), ...json };
  if (items !== undefined) {
    const { length } = items;
    return { type: 'array', prefixItems: items.map(inside), items: {}, minItems: length, maxItems: length, ...json };
  }
  const isDescribed = Object.keys(json ?? {}).some((keyword) => !annotations.includes(keyword));
  if (options !== undefined && !isDescribed) return { anyOf: options.map(inside), ...json };
  // Removes `\p{C}` from patterns, because JSON Schema validators need not support Unicode classes.
  if (typeof json?.pattern === 'string') return { ...json, pattern: json.pattern.replaceAll('\\p{C}', '') };
  return { ...json };
}

/** Returns an optional field's default as a JSON Schema keyword, if the default is a single value. */
const fallbackOf = ({ fallback }: AnySchema): Json =>
  fallback === undefined || typeof fallback === 'object' ? {} : { default: fallback };

/** Lists the fields of an operation's input, each with its JSON Schema and whether it is required. */
export const fieldsOf = ({ entries = {} }: AnySchema, references: References = new Map()) =>
  Object.entries(entries).map(([name, field]) => ({
    name,
    schema: referOrConvert(field, references),
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
