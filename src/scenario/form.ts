import { isMap } from './merge.js';
import { escaped, type Step } from './scenario-error.js';

/**
 * What a value has to be: the one source of its types, its check and its description. Code of our own, because a page
 * downloads it and every start loads it: valibot, with what it took to make its mistakes readable, weighed 2 kB more
 * after gzip, and its import took 14 ms.
 */
export interface Form<Output, Input = Output> {
  /** What it takes, as a mistake names it: `text`, `a map`, `"off"`. */
  readonly words: readonly string[];
  /** Whether a value is of the kind that `read` looks into. */
  takes(value: unknown): boolean;
  /** The value as the program takes it; not to be used where it notes mistakes. */
  read(value: never, mistakes: Mistake[]): Output;

  // The rest describes it.
  /** Keywords of JSON Schema. */
  readonly json?: Readonly<Record<string, unknown>>;
  /** The form that this one adds a check or a change to. */
  readonly of?: AnyForm;
  /** Of a map with fixed fields. */
  readonly entries?: Entries;
  /** Of a map from names of one's own. */
  readonly names?: AnyForm;
  readonly values?: AnyForm;
  /** Of a list. */
  readonly item?: AnyForm;
  /** Of a list of fixed length. */
  readonly items?: readonly AnyForm[];
  /** Of which any will do. */
  readonly options?: readonly AnyForm[];
  /** Of a field that may be left out. */
  readonly isOptional?: true;
  readonly fallback?: unknown;
  /** Never there: for the type of what a person writes. */
  readonly types?: { input: Input };
}

export type AnyForm = Form<unknown, unknown>;
export type Entries = Readonly<Record<string, AnyForm>>;
/** What the program takes. */
export type Output<Of> = Of extends Form<infer Out, unknown> ? Out : never;
/** What a person writes. */
export type Input<Of> = Of extends Form<unknown, infer In> ? In : never;

/** What is wrong, and the steps that lead there. */
export interface Mistake {
  readonly steps: Step[];
  readonly message: string;
  /** Whether the name of the field is the mistake, and not its value. */
  readonly onName?: boolean;
}

/** How many mistakes are described; a file of a megabyte can hold a hundred thousand. */
export const mostMistakes = 1_000;

/** Checks a value and reads it. Notes all that is wrong. */
export function check<Out>(form: Form<Out, unknown>, value: unknown, mistakes: Mistake[]): Out {
  if (form.takes(value)) return form.read(value as never, mistakes);
  const expected = value === undefined ? 'a value, got none' : `${anyOf(form.words)}, got ${shown(value)}`;
  mistakes.push({ steps: [], message: `expected ${expected}` });
  return undefined as Out;
}

/** Checks what is one step down. */
export function checkAt<Out>(step: Step, form: Form<Out, unknown>, value: unknown, mistakes: Mistake[]): Out {
  const before = mistakes.length;
  const output = check(form, value, mistakes);
  for (let at = before; at < mistakes.length; at++) mistakes[at]?.steps.unshift(step);
  return output;
}

/** A value that is read as another. A RangeError of `read` is a mistake, and says what was expected. */
export const as = <Between, Out, In>(form: Form<Between, In>, read: (value: Between) => Out): Form<Out, In> => ({
  ...(form as AnyForm as Form<Out, In>),
  of: form,
  read(value, mistakes) {
    const before = mistakes.length;
    const between = form.read(value, mistakes);
    try {
      if (mistakes.length === before) return read(between);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      mistakes.push({ steps: [], message: error.message });
    }
    return undefined as Out;
  },
});

/** A further check, for what has no mistake yet. */
export const must = <Out, In>(
  form: Form<Out, In>,
  test: (value: Out) => boolean,
  expected: string,
  json?: Form<Out>['json'],
): Form<Out, In> => ({
  ...as(form, (value) => {
    if (test(value)) return value;
    throw new RangeError(`expected ${expected}${isMap(value) ? '' : `, got ${shown(value)}`}`);
  }),
  ...(json && { json: { ...form.json, ...json } }),
});

function shown(value: unknown): string {
  if (typeof value === 'string') return escaped(`"${value}"`);
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'a map';
  return value instanceof Date ? 'a date' : typeof value === 'function' ? 'a function' : String(value);
}

/** `"a", "b" or a list`. */
const anyOf = (words: readonly string[]) => [words.slice(0, -1).join(', '), words.at(-1)].filter(Boolean).join(' or ');
