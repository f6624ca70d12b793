import { isMap } from '../values/plain-data.js';
import { escaped, type Step } from './issue.js';
import { hintFor } from './nearest.js';

/**
 * Description of a value: the single source of its types, its check and its JSON Schema. Not a library, because browser
 * pages download it: valibot with readable messages added 2 kB gzipped and 14 ms to the start.
 */
export interface Schema<Output, Input = Output> {
  /** Accepted values, in the words of a message: `text`, `a map`, `"off"`. */
  readonly labels: readonly string[];
  /** Whether a value has the type that `read` expects. */
  accepts(value: unknown): boolean;
  /** Converts a value for the program. Adds mistakes to `issues`; the result is then unusable. */
  read(value: never, issues: SchemaIssue[]): Output;

  // The fields below describe the schema, for JSON Schema and for types.
  /** Keywords of JSON Schema. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** Schema that this schema refines or transforms. */
  readonly of?: AnySchema;
  /** Fields of a map with fixed fields. */
  readonly entries?: Entries;
  /** Names and values of a map with free names. */
  readonly names?: AnySchema;
  readonly values?: AnySchema;
  /** Items of a list. */
  readonly item?: AnySchema;
  /** Items of a list with a fixed length. */
  readonly items?: readonly AnySchema[];
  /** The alternatives of `either`. */
  readonly options?: readonly AnySchema[];
  /** Whether the field is optional, and its default. */
  readonly isOptional?: true;
  readonly fallback?: unknown;
  /** Type of valid input. Not present at run time. */
  readonly types?: { input: Input };
}

export type AnySchema = Schema<unknown, unknown>;
export type Entries = Readonly<Record<string, AnySchema>>;
/** Type of the converted value. */
export type Output<Of> = Of extends Schema<infer Out, unknown> ? Out : never;
/** Type of valid input. */
export type Input<Of> = Of extends Schema<unknown, infer In> ? In : never;

/** One mistake in a value, with the path of steps to its position. */
export interface SchemaIssue {
  readonly steps: Step[];
  readonly message: string;
  /** Whether the field's name is wrong, instead of its value. */
  readonly onName?: boolean;
  /** For an unknown field with otherwise usable values: the most similar field name, or ''. */
  readonly unknown?: string | undefined;
}

/** Maximum number of reported issues. A file of one megabyte can contain a hundred thousand. */
export const maximumIssues = 1_000;

/** Checks and converts a value. Reports every issue. */
export function check<Out>(schema: Schema<Out, unknown>, value: unknown, issues: SchemaIssue[]): Out {
  if (schema.accepts(value)) return schema.read(value as never, issues);
  issues.push({ steps: [], message: otherThan(schema, value) });
  return undefined as Out;
}

/** Message for a value of the wrong type: `expected text, got 3`. Adds a "did you mean" hint for a misspelt word. */
export function otherThan({ labels, entries = {} }: AnySchema, value: unknown): string {
  const words = labels.flatMap((label) => (label.startsWith('"') ? [JSON.parse(label) as string] : []));
  const hint = typeof value === 'string' ? (withoutSpace(value, Object.keys(entries)) ?? hintFor(value, words)) : '';
  return `expected ${anyOf(labels)}, got ${value === undefined ? 'none' : shown(value)}${hint}`;
}

/** Hint for a missing space in YAML, which reads `plan:pro` as one word. */
export function withoutSpace(word: string, fields: readonly string[]): string | undefined {
  const [field = '', ...rest] = word.split(':');
  return rest.length > 0 && fields.includes(field) ? `; put a space after the colon of ${field}` : undefined;
}

/** Checks a value inside another. `step` is its field name or list position. */
export function checkAt<Out>(step: Step, schema: Schema<Out, unknown>, value: unknown, issues: SchemaIssue[]): Out {
  const before = issues.length;
  const output = check(schema, value, issues);
  for (let at = before; at < issues.length; at++) issues[at]?.steps.unshift(step);
  return output;
}

/** Schema that converts its value with `read`. A RangeError of `read` becomes an issue with the same message. */
export const transform = <Between, Out, In>(
  schema: Schema<Between, In>,
  read: (value: Between) => Out,
): Schema<Out, In> => ({
  ...(schema as AnySchema as Schema<Out, In>),
  of: schema,
  read(value, issues) {
    const before = issues.length;
    const between = schema.read(value, issues);
    const found = issues.slice(before);
    if (found.some(({ unknown }) => unknown === undefined)) return undefined as Out;
    try {
      return read(between);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      if (found.length === 0) issues.push({ steps: [], message: error.message });
      // The error often follows from the unknown field. For example, a misspelt effect leaves a fault rule without an
      // effect.
      for (const [index, issue] of found.entries()) issues[before + index] = { ...issue, unknown: undefined };
    }
    return undefined as Out;
  },
});

/** Schema with an additional check, which runs only on values without issues. */
export const refine = <Out, In>(
  schema: Schema<Out, In>,
  test: (value: Out) => boolean,
  expected: string,
  json?: Schema<Out>['json'],
): Schema<Out, In> => ({
  ...transform(schema, (value) => {
    if (test(value)) return value;
    throw new RangeError(`expected ${expected}${isMap(value) ? '' : `, got ${shown(value)}`}`);
  }),
  ...(json && { json: { ...schema.json, ...json } }),
});

export function shown(value: unknown): string {
  if (typeof value === 'string') return escaped(`"${value}"`);
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'a map';
  return value instanceof Date ? 'a date' : typeof value === 'function' ? 'a function' : String(value);
}

/** Joins labels for a message: `"a", "b" or a list`. */
export const anyOf = (labels: readonly string[]) =>
  [labels.slice(0, -1).join(', '), labels.at(-1)].filter(Boolean).join(' or ');
