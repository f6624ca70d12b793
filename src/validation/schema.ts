import { joinWords } from '../values/join-words.js';
import { isMap } from '../values/plain-data.js';
import { escaped, type Issue, issueAt, type Step } from './issue.js';
import { hintFor } from './nearest.js';

/**
 * Schema of a value, from which the value's TypeScript type, check and JSON Schema are derived. Own code, because a
 * library such as Valibot would enlarge the web pages' code.
 */
export interface Schema<Output, Input = Output> {
  /** Names of the accepted values, for a message: `text`, `a map`, `"off"`. */
  readonly labels: readonly string[];
  /** Whether a value has the right type, so that the schema's `read` can check and convert it. */
  accepts(value: unknown): boolean;
  /** Checks and converts a value. Adds mistakes to `issues`; with a mistake, the result is unusable. */
  read(value: never, issues: SchemaIssue[]): Output;

  // Properties that describe the values a schema accepts. The JSON Schema and the TypeScript type are derived from
  // these properties.
  /** JSON Schema keywords that describe the values this schema accepts, such as `minimum`. */
  readonly json?: Readonly<Record<string, unknown>>;
  /**
   * Inner schema, whose checked values this schema checks further or converts. Absent if this schema reads values
   * directly.
   */
  readonly of?: AnySchema;
  /** Schemas by field name, for a map with fixed fields. */
  readonly entries?: Entries;
  /** Schemas of the names and the values, for a map with free names. */
  readonly names?: AnySchema;
  readonly values?: AnySchema;
  /** Names that editors suggest, for a map with free names. */
  readonly suggested?: readonly string[];
  /** Schema of each item, for a list of any length. */
  readonly item?: AnySchema;
  /** Schemas of the items by position, for a list of fixed length. */
  readonly items?: readonly AnySchema[];
  /** Alternative schemas, of which a value must match one. */
  readonly options?: readonly AnySchema[];
  /** Whether an object may omit the field. An omitted field gets the value `fallback`. */
  readonly isOptional?: true;
  readonly fallback?: unknown;
  /** Type of the values that the schema accepts. Exists only for TypeScript. */
  readonly types?: { input: Input };
}

export type AnySchema = Schema<unknown, unknown>;
export type Entries = Readonly<Record<string, AnySchema>>;
/** TypeScript type of the values into which a schema converts accepted input. */
export type Output<Of> = Of extends Schema<infer Out, unknown> ? Out : never;
/** TypeScript type of the values that a schema accepts as input. */
export type Input<Of> = Of extends Schema<unknown, infer In> ? In : never;

/** Mistake that a schema found in a value, with the path to the mistake. */
export interface SchemaIssue {
  readonly steps: Step[];
  readonly message: string;
  /** Whether the mistake is the name of a field, not its value. */
  readonly onName?: boolean;
  /**
   * For a field with an unknown name: the most similar known name, or '' if none is similar. `undefined` for any other
   * mistake.
   */
  readonly unknown?: string | undefined;
}

/** Maximum number of mistakes in one report. A file of one megabyte can contain a hundred thousand. */
export const maximumIssues = 1_000;

/** Converts the mistakes that a schema found to issues with paths. */
export const toIssues = (found: readonly SchemaIssue[]): Issue[] =>
  found.slice(0, maximumIssues).map(({ steps, message, onName }) => issueAt(steps, message, onName));

/** Checks a value against a schema and converts it. Reports every mistake in `issues`. */
export function check<Out>(schema: Schema<Out, unknown>, value: unknown, issues: SchemaIssue[]): Out {
  if (schema.accepts(value)) return schema.read(value as never, issues);
  issues.push({ steps: [], message: otherThan(schema, value) });
  return undefined as Out;
}

/** Message for a value of the wrong type: `expected text, got 3`. Adds a "did you mean" hint for a misspelt word. */
export function otherThan({ labels, entries = {} }: AnySchema, value: unknown): string {
  const words = labels.flatMap((label) => (label.startsWith('"') ? [JSON.parse(label) as string] : []));
  const hint = typeof value === 'string' ? (withoutSpace(value, Object.keys(entries)) ?? hintFor(value, words)) : '';
  return `expected ${joinWords(labels, 'or')}, got ${value === undefined ? 'none' : shown(value)}${hint}`;
}

/** Returns a hint if a YAML field lacks the space after its colon. YAML reads `plan:pro` as one word. */
export function withoutSpace(word: string, fields: readonly string[]): string | undefined {
  const [field = '', ...rest] = word.split(':');
  return rest.length > 0 && fields.includes(field) ? `; put a space after the colon of ${field}` : undefined;
}

/**
 * Checks the value of one field or list item against its schema, and returns the converted value. Adds the field name
 * or list index `step` to the path of each issue.
 */
export function checkAt<Out>(step: Step, schema: Schema<Out, unknown>, value: unknown, issues: SchemaIssue[]): Out {
  const before = issues.length;
  const output = check(schema, value, issues);
  for (let index = before; index < issues.length; index++) issues[index]?.steps.unshift(step);
  return output;
}

/**
 * Creates a schema that converts its values with `read`. A RangeError of `read` becomes a reported mistake with its
 * message.
 */
export const transform = <Between, Out, In>(
  schema: Schema<Between, In>,
  read: (value: Between) => Out,
): Schema<Out, In> => ({
  ...(schema as AnySchema as Schema<Out, In>),
  of: schema,
  read(value, issues) {
    const before = issues.length;
    const between = schema.read(value, issues);
    try {
      if (issues.length === before) return read(between);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      issues.push({ steps: [], message: error.message });
    }
    return undefined as Out;
  },
});

/** Creates a schema that checks values as another schema does, and returns them as written instead of converted. */
export const asWritten = <In>(schema: Schema<unknown, In>): Schema<In, In> => ({
  ...(schema as AnySchema as Schema<In, In>),
  of: schema,
  read(value, issues) {
    schema.read(value, issues);
    return value;
  },
});

/**
 * Creates a schema that adds the check `test` to another schema. For a map with mistakes, `test` receives the map
 * without its invalid fields, so that one report contains all mistakes.
 * @param test returns `false` if it finds a mistake. Its parameter `isRight` is `false` if the other schema already
 * found a mistake in the value.
 */
export const refine = <Out, In>(
  schema: Schema<Out, In>,
  test: (value: Out, isRight: boolean) => boolean,
  expected: string,
  json?: Schema<Out>['json'],
): Schema<Out, In> => ({
  ...schema,
  of: schema,
  ...(json && { json: { ...schema.json, ...json } }),
  read(value, issues) {
    const before = issues.length;
    const output = schema.read(value, issues);
    if (output === undefined || test(output, issues.length === before)) return output;
    issues.push({ steps: [], message: `expected ${expected}${isMap(output) ? '' : `, got ${shown(output)}`}` });
    return isMap(output) ? output : (undefined as Out);
  },
});

export function shown(value: unknown): string {
  if (typeof value === 'string') return escaped(`"${value}"`);
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'a map';
  return value instanceof Date ? 'a date' : typeof value === 'function' ? 'a function' : String(value);
}
