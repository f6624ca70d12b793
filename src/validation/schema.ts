import { isMap } from '../values/plain-data.js';
import { escaped, type Step } from './issue.js';
import { hintFor } from './nearest.js';

/**
 * Describes a value: the one source of its types, its check and its JSON Schema. Our own code, because pages download it
 * and every start loads it: valibot, with what readable messages needed, added 2 kB gzipped and 14 ms to the start.
 */
export interface Schema<Output, Input = Output> {
  /** What it accepts, in the words of a message: `text`, `a map`, `"off"`. */
  readonly labels: readonly string[];
  /** Whether a value has the type that `read` expects. */
  accepts(value: unknown): boolean;
  /** The value as the program uses it. Reports what is wrong in `issues`; the result is then not to be used. */
  read(value: never, issues: SchemaIssue[]): Output;

  // The fields below describe the schema, for JSON Schema and for types.
  /** Keywords of JSON Schema. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** The schema that this one refines or transforms. */
  readonly of?: AnySchema;
  /** The fields of a map with fixed fields. */
  readonly entries?: Entries;
  /** The names and values of a map with free names. */
  readonly names?: AnySchema;
  readonly values?: AnySchema;
  /** The items of a list. */
  readonly item?: AnySchema;
  /** The items of a list with a fixed length. */
  readonly items?: readonly AnySchema[];
  /** The alternatives of `either`. */
  readonly options?: readonly AnySchema[];
  /** A field that may be left out, and its value then. */
  readonly isOptional?: true;
  readonly fallback?: unknown;
  /** Exists only as a type: what a person may write. */
  readonly types?: { input: Input };
}

export type AnySchema = Schema<unknown, unknown>;
export type Entries = Readonly<Record<string, AnySchema>>;
/** What the program gets. */
export type Output<Of> = Of extends Schema<infer Out, unknown> ? Out : never;
/** What a person may write. */
export type Input<Of> = Of extends Schema<unknown, infer In> ? In : never;

/** What is wrong, and the steps that lead there. */
export interface SchemaIssue {
  readonly steps: Step[];
  readonly message: string;
  /** Whether the name of the field is wrong, and not its value. */
  readonly onName?: boolean;
  /** Only for a field that does not exist, beside which all values are usable: the name that was probably meant, or ''. */
  readonly unknown?: string | undefined;
}

/** How many issues are described; a file of one megabyte can hold a hundred thousand. */
export const maximumIssues = 1_000;

/** Checks and reads a value. Reports every issue. */
export function check<Out>(schema: Schema<Out, unknown>, value: unknown, issues: SchemaIssue[]): Out {
  if (schema.accepts(value)) return schema.read(value as never, issues);
  issues.push({ steps: [], message: otherThan(schema, value) });
  return undefined as Out;
}

/** `expected text, got 3`, `expected a map, got none`. For a misspelt word of a few, the one that was probably meant. */
export function otherThan({ labels, entries = {} }: AnySchema, value: unknown): string {
  const words = labels.flatMap((label) => (label.startsWith('"') ? [JSON.parse(label) as string] : []));
  const hint = typeof value === 'string' ? (withoutSpace(value, Object.keys(entries)) ?? hintFor(value, words)) : '';
  return `expected ${anyOf(labels)}, got ${value === undefined ? 'none' : shown(value)}${hint}`;
}

/** Hint for YAML that reads `plan:pro` as one word. */
export function withoutSpace(word: string, fields: readonly string[]): string | undefined {
  const [field = '', ...rest] = word.split(':');
  return rest.length > 0 && fields.includes(field) ? `; put a space after the colon of ${field}` : undefined;
}

/** Checks a value inside another; `step` leads to it. */
export function checkAt<Out>(step: Step, schema: Schema<Out, unknown>, value: unknown, issues: SchemaIssue[]): Out {
  const before = issues.length;
  const output = check(schema, value, issues);
  for (let at = before; at < issues.length; at++) issues[at]?.steps.unshift(step);
  return output;
}

/** A schema whose value is read as another. A RangeError of `read` becomes an issue with its message. */
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
      // Probably a consequence of the unknown field, as where the only effect of a fault rule is misspelt.
      for (const [index, issue] of found.entries()) issues[before + index] = { ...issue, unknown: undefined };
    }
    return undefined as Out;
  },
});

/** A schema with a further check, made on values that have no issue yet. */
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

/** `"a", "b" or a list`. */
export const anyOf = (labels: readonly string[]) =>
  [labels.slice(0, -1).join(', '), labels.at(-1)].filter(Boolean).join(' or ');
