import * as v from 'valibot';
import { type Int64, isInt64, parseInt64 } from '../interface/int64.js';
import { parseInstant } from '../state/clock.js';
import { parseDuration } from '../state/duration.js';
import { nearest } from './nearest.js';

/** Of how many unknown fields of a map a person is told. */
const mostUnknown = 1_000;

/** A map with these fields and no others; of each other it says which one was probably meant. */
export function fields<const Entries extends v.ObjectEntries>(entries: Entries) {
  const names = Object.keys(entries);
  const schema = v.strictObject(entries, ({ expected, input, message }) => {
    if (expected !== 'never') return message;
    const meant = nearest(String(input), names);
    return `expected no such field${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
  return mapOnly(schema, (dataset, config) => {
    // valibot stops at the first field that it does not know; here are the others.
    const input = dataset.value as Record<string, unknown>;
    const unknown = Object.keys(input).filter((name) => !Object.hasOwn(entries, name));
    const checked = schema['~run'](dataset, config);
    for (const name of unknown.slice(1, mostUnknown)) {
      const item = { type: 'object', origin: 'key', input, key: name, value: input[name] } as const;
      v._addIssue(schema as unknown as v.GenericSchema, 'key', checked, config, {
        input: name,
        expected: 'never',
        path: [item],
      });
    }
    return checked;
  });
}

/** A map from names of one's own. */
export function mapOf<const Name extends v.GenericSchema<string, string>, const Value extends v.GenericSchema>(
  name: Name,
  value: Value,
) {
  const schema = v.record(name, value);
  return mapOnly(schema, (dataset, config) => schema['~run'](dataset, config));
}

/** To valibot a list is an object like any other, whose fields are its positions; to a person it is not. */
function mapOnly<const Schema extends v.GenericSchema>(schema: Schema, run: Schema['~run']): Schema {
  return {
    ...schema,
    '~run'(dataset, config) {
      const { value } = dataset;
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return run(dataset, config);
      v._addIssue(schema, 'type', dataset, config);
      return dataset as ReturnType<Schema['~run']>;
    },
  };
}

/** Text or a number that one of our readers turns into milliseconds; its error becomes the message. */
const milliseconds = <Input extends string | number | Date>(read: (input: Input) => number) =>
  v.rawTransform<Input, number>(({ dataset, addIssue, NEVER }) => {
    try {
      return read(dataset.value);
    } catch (error) {
      addIssue({ message: (error as Error).message });
      return NEVER;
    }
  });

/** `500ms`, `2s`, `5m`, `1h`, `1d`, or milliseconds; read as milliseconds. */
export const duration = v.pipe(v.union([v.string(), v.number()]), milliseconds(parseDuration));

/** A duration that a minus sign turns around: `-40s`; read as milliseconds. */
export const signedDuration = v.pipe(
  v.union([v.string(), v.number()]),
  milliseconds((value: string | number) => {
    const minus = /^-(?=\d)/;
    if (!minus.test(String(value))) return parseDuration(value);
    return -parseDuration(typeof value === 'number' ? -value : value.replace(minus, ''));
  }),
);

/** ISO 8601 text with its zone, Unix milliseconds or a `Date`; read as Unix milliseconds. */
export const instant = v.pipe(v.union([v.string(), v.number(), v.date()]), milliseconds(parseInstant));

/** A duration of whole seconds, at least one; read as seconds. */
export const wholeSeconds = v.pipe(
  duration,
  v.check((ms) => ms >= 1000 && ms % 1000 === 0, 'expected whole seconds, at least "1s"'),
  v.transform((ms) => ms / 1000),
);

const isWritten = (value: unknown) => isInt64(typeof value === 'string' ? parseInt64(value) : value);

/** A whole number within int64; as decimal text where a number of JSON would be rounded. */
export const int64 = v.pipe(
  v.custom<Int64 | string>(isWritten, 'expected a whole number within int64 (beyond 2^53-1 a bigint, or text)'),
  v.transform((value) => (typeof value === 'string' ? (parseInt64(value) as Int64) : value)),
);

export const count = v.pipe(
  v.number(),
  v.check((value) => Number.isSafeInteger(value) && value >= 0, 'expected a whole number from 0'),
);

export const positive = v.pipe(
  v.number(),
  v.check((value) => Number.isFinite(value) && value > 0, 'expected a number above 0'),
);

export const text = v.pipe(
  v.string(),
  v.check((value) => value.isWellFormed(), 'expected well-formed Unicode'),
);
