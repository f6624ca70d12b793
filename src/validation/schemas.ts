import { joinWords } from '../values/join-words.js';
import { isMap } from '../values/plain-data.js';
import { cut } from './issue.js';
import { hintFor, nearest } from './nearest.js';
import {
  type AnySchema,
  check,
  checkAt,
  type Entries,
  type Input,
  maximumIssues,
  type Output,
  otherThan,
  type Schema,
  type SchemaIssue,
  withoutSpace,
} from './schema.js';

// Basic schemas, from which the other schemas are built.

/** Creates a schema that checks a value with `accepts`, and returns the accepted value unchanged. */
export const kind = <Value>(word: string, accepts: (value: unknown) => boolean, json = {}): Schema<Value> => ({
  labels: [word],
  json,
  accepts,
  read: (value: Value) => value,
});

const primitive = <Value>(type: 'string' | 'number' | 'boolean', word: string) =>
  kind<Value>(word, (value) => typeof value === type && !Number.isNaN(value), { type });

export const string = primitive<string>('string', 'text');
export const number = primitive<number>('number', 'a number');
export const boolean = primitive<boolean>('boolean', 'true or false');
export const anything = kind<unknown>('a value', () => true);

/** Schema for a fixed set of values. */
export const oneOf = <const Values extends readonly (string | number | boolean | null)[]>(
  ...values: Values
): Schema<Values[number]> => ({
  ...kind(
    '',
    (value) => values.includes(value as Values[number]),
    values.length > 1 ? { enum: values } : { const: values[0] },
  ),
  labels: values.map((value) => JSON.stringify(value)),
});

export const list = <Out, In>(item: Schema<Out, In>): Schema<Out[], In[]> => ({
  labels: ['a list'],
  item,
  accepts: Array.isArray,
  read(values: unknown[], issues) {
    const output: Out[] = [];
    for (let index = 0; index < values.length && issues.length < maximumIssues; index++) {
      output.push(checkAt(index, item, values[index], issues));
    }
    return output;
  },
});

/** Schema for a list of two items. */
export const pair = <A, B, InA, InB>(first: Schema<A, InA>, second: Schema<B, InB>): Schema<[A, B], [InA, InB]> => ({
  labels: ['a list of two'],
  items: [first, second],
  accepts: (value) => Array.isArray(value) && value.length === 2,
  read: ([a, b]: unknown[], issues) => [checkAt(0, first, a, issues), checkAt(1, second, b, issues)],
});

/** Object type in which a field is optional if its value can be `undefined`. */
type Fields<Values> = Flat<
  { [Name in keyof Values as undefined extends Values[Name] ? never : Name]: Values[Name] } & {
    [Name in keyof Values as undefined extends Values[Name] ? Name : never]?: Values[Name];
  }
>;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };
type FieldsSchema<Of> = Schema<
  Fields<{ -readonly [Name in keyof Of]: Output<Of[Name]> }>,
  Fields<{ -readonly [Name in keyof Of]: Input<Of[Name]> }>
>;

const noField = 'expected a known field';

/**
 * Creates a schema for a map with exactly these fields. For an unknown field, the message suggests the most similar
 * name.
 */
export function fields<const Of extends Entries>(entries: Of): FieldsSchema<Of> {
  const names = Object.keys(entries);
  const schemas = Object.values(entries);
  return {
    labels: ['a map'],
    entries,
    accepts: isMap,
    read(map: Record<string, unknown>, issues) {
      const output: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index++) {
        const name = names[index] as string;
        const schema = schemas[index] as AnySchema;
        const value = map[name];
        if (value !== undefined) output[name] = checkAt(name, schema, value, issues);
        else if (!schema.isOptional) reportMissing(name, schema, issues);
        else if (schema.fallback !== undefined) output[name] = schema.fallback;
      }
      reportUnknown(entries, map, issues);
      return output as ReturnType<FieldsSchema<Of>['read']>;
    },
  };
}

export const reportMissing = (name: string, schema: AnySchema, issues: SchemaIssue[]) =>
  issues.push({ ...issueOn(name), message: otherThan(schema, undefined) });

export function reportUnknown(entries: Entries, map: object, issues: SchemaIssue[]): void {
  for (const name of Object.keys(map)) {
    if (Object.hasOwn(entries, name)) continue;
    if (issues.length >= maximumIssues) break;
    const names = Object.keys(entries);
    const listed = `; the fields are ${names.join(', ') || 'none'}`;
    const inside = names.find((each) => Object.hasOwn(entries[each]?.entries ?? {}, name));
    // Lists the names once per report, because an unrelated file has many unknown fields.
    const isListed = issues.some(({ message }) => message.endsWith(listed));
    const otherwise = inside !== undefined ? didYouMean(inside, name) : isListed ? '' : listed;
    const hint = withoutSpace(name, names) ?? hintFor(name, names, otherwise);
    issues.push({ ...issueOn(name), message: noField + hint, unknown: nearest(name, names) ?? '' });
  }
}

const didYouMean = (...path: string[]) => `; did you mean ${path.join('.')}?`;

/** Creates the position of a validation issue at a field's name, not at its value. */
export const issueOn = (name: string) => ({ steps: [name], onName: true });

type MapOf<Name extends string, Value> = string extends Name ? Record<string, Value> : { [Each in Name]?: Value };

/** Checks the name and the value of one entry of a map with free names, and adds the entry to `output`. */
export function readEntry(
  { names, values }: { names: AnySchema; values: AnySchema },
  map: object,
  name: string,
  output: object,
  issues: SchemaIssue[],
): void {
  const before = issues.length;
  check(names, name, issues);
  for (let index = before; index < issues.length; index++)
    issues[index] = { ...issueOn(name), message: (issues[index] as SchemaIssue).message };
  const value = checkAt(name, values, (map as Record<string, unknown>)[name], issues);
  // Assignment would set the prototype.
  if (name === '__proto__') Object.defineProperty(output, name, { ...ownField, value });
  else (output as Record<string, unknown>)[name] = value;
}

const ownField = { enumerable: true, configurable: true, writable: true };

/** Creates a schema for a map with any entry names. Takes a schema for the names and a schema for the values. */
export const mapOf = <Name extends string, Out, In>(
  names: Schema<Name>,
  values: Schema<Out, In>,
): Schema<MapOf<Name, Out>, MapOf<Name, In>> => ({
  labels: ['a map'],
  names,
  values,
  accepts: isMap,
  read(map: object, issues) {
    const output = {};
    for (const name of Object.keys(map)) {
      if (issues.length >= maximumIssues) break;
      readEntry({ names, values }, map, name, output, issues);
    }
    return output as MapOf<Name, Out>;
  },
});

/**
 * Creates a schema that accepts a value of any alternative. For a wrong map, reports the mistakes of the alternative
 * with the best matching field names.
 */
export const either = <const Options extends readonly AnySchema[]>(
  ...options: Options
): Schema<Output<Options[number]>, Input<Options[number]>> => ({
  labels: [...new Set(options.flatMap(({ labels }) => labels))],
  options,
  accepts: (value) => options.some((option) => option.accepts(value)),
  read(value, issues) {
    const accepting = options.filter((option) => option.accepts(value));
    if (isMap(value) && accepting.length > 1 && isNoneOf(accepting, value)) {
      const forms = options.flatMap(({ entries, labels }) => (entries === undefined ? labels : [formOf(entries)]));
      const names = Object.keys(value as object)
        .slice(0, 3)
        .map(cut)
        .join(', ');
      issues.push({ steps: [], message: `expected ${joinWords(forms, 'or')}, got a map with ${names}` });
      return undefined as Output<Options[number]>;
    }
    const tries = accepting.map((option) => {
      const found: SchemaIssue[] = [];
      return { output: option.read(value, found), found, wrong: wrongNames(found) };
    });
    const best = tries.reduce((least, each) => (each.wrong < least.wrong ? each : least));
    issues.push(...best.found);
    return best.output as Output<Options[number]>;
  },
});

/**
 * Whether all field names of an object are unlike the field names of every alternative schema. If so, the object
 * probably has an unexpected structure, and the error message does not suggest corrections of misspelt names.
 */
function isNoneOf(options: readonly AnySchema[], map: object): boolean {
  const names = Object.keys(map);
  const known = options.flatMap(({ entries }) => Object.keys(entries ?? {}));
  return (
    names.length > 0 &&
    options.every(({ entries }) => entries !== undefined) &&
    names.every((name) => !known.includes(name) && nearest(name, known) === undefined)
  );
}

/** Describes a map in a message by its fields: `a map with p50 and p99`. */
const formOf = (entries: Entries) => `a map with ${Object.keys(entries).join(' and ')}`;

/**
 * Returns a number for how poorly a value's fields match an alternative schema: highest for unknown fields, slightly
 * lower for misspelt ones.
 */
const wrongNames = (issues: readonly SchemaIssue[]) =>
  issues
    .filter(({ steps, onName }) => steps.length === 1 && onName)
    .reduce((sum, { message }) => sum + (!message.startsWith(noField) ? 1 : message.endsWith('?') ? 9 : 10), 0);

/** Schema for an optional field. */
export function optional<Out, In>(schema: Schema<Out, In>): Schema<Out | undefined, In | undefined>;
/**
 * Creates the schema of an optional field with a default. The default has the type of the schema's output, such as
 * milliseconds for a duration.
 */
export function optional<Out, In>(schema: Schema<Out, In>, fallback: NoInfer<Out>): Schema<Out, In | undefined>;
export function optional(schema: AnySchema, fallback?: unknown): AnySchema {
  return { ...schema, of: schema, isOptional: true, fallback };
}
