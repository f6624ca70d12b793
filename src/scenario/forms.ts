import {
  type AnyForm,
  check,
  checkAt,
  type Entries,
  type Form,
  type Input,
  type Mistake,
  mostMistakes,
  type Output,
} from './form.js';
import { isMap } from './merge.js';
import { nearest } from './nearest.js';

// The forms that all others are made of.

/** A value that is taken as it is. */
export const kind = <Value>(word: string, takes: (value: unknown) => boolean, json = {}): Form<Value> => ({
  words: [word],
  json,
  takes,
  read: (value: Value) => value,
});

const primitive = <Value>(type: 'string' | 'number' | 'boolean', word: string) =>
  kind<Value>(word, (value) => typeof value === type && !Number.isNaN(value), { type });

export const string = primitive<string>('string', 'text');
export const number = primitive<number>('number', 'a number');
export const boolean = primitive<boolean>('boolean', 'true or false');
export const anything = kind<unknown>('a value', () => true);

/** One of these values. */
export const oneOf = <const Values extends readonly (string | number | boolean | null)[]>(
  ...values: Values
): Form<Values[number]> => ({
  ...kind(
    '',
    (value) => values.includes(value as Values[number]),
    values.length > 1 ? { enum: values } : { const: values[0] },
  ),
  words: values.map((value) => JSON.stringify(value)),
});

export const list = <Out, In>(item: Form<Out, In>): Form<Out[], In[]> => ({
  words: ['a list'],
  item,
  takes: Array.isArray,
  read(values: unknown[], mistakes) {
    const output: Out[] = [];
    for (const [index, value] of values.entries()) {
      if (mistakes.length >= mostMistakes) break;
      output.push(checkAt(index, item, value, mistakes));
    }
    return output;
  },
});

/** A list of two. */
export const pair = <A, B, InA, InB>(first: Form<A, InA>, second: Form<B, InB>): Form<[A, B], [InA, InB]> => ({
  words: ['a list of two'],
  items: [first, second],
  takes: (value) => Array.isArray(value) && value.length === 2,
  read: ([a, b]: unknown[], mistakes) => [checkAt(0, first, a, mistakes), checkAt(1, second, b, mistakes)],
});

/** What may be `undefined` may be left out. */
type Fields<Values> = Flat<
  { [Name in keyof Values as undefined extends Values[Name] ? never : Name]: Values[Name] } & {
    [Name in keyof Values as undefined extends Values[Name] ? Name : never]?: Values[Name];
  }
>;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };
type FieldsForm<Of> = Form<
  Fields<{ -readonly [Name in keyof Of]: Output<Of[Name]> }>,
  Fields<{ -readonly [Name in keyof Of]: Input<Of[Name]> }>
>;

const noField = 'expected no such field';

/** A map with these fields and no others; of each other it says which one was probably meant. */
export function fields<const Of extends Entries>(entries: Of): FieldsForm<Of> {
  const forms = Object.entries(entries);
  return {
    words: ['a map'],
    entries,
    takes: isMap,
    read(map: Record<string, unknown>, mistakes) {
      const output: Record<string, unknown> = {};
      for (const [name, form] of forms) {
        const value = map[name];
        if (value !== undefined) output[name] = checkAt(name, form, value, mistakes);
        else if (!form.isOptional) mistakes.push({ ...mistakeOn(name), message: 'expected a value, got none' });
        else if (form.fallback !== undefined) output[name] = form.fallback;
      }
      for (const name of Object.keys(map)) {
        if (Object.hasOwn(entries, name)) continue;
        if (mistakes.length >= mostMistakes) break;
        const meant = nearest(name, Object.keys(entries));
        const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
        mistakes.push({ ...mistakeOn(name), message: noField + hint });
      }
      return output as ReturnType<FieldsForm<Of>['read']>;
    },
  };
}

const mistakeOn = (name: string) => ({ steps: [name], onName: true });

type MapOf<Name extends string, Value> = string extends Name ? Record<string, Value> : { [Each in Name]?: Value };

/** A map from names of one's own. */
export const mapOf = <Name extends string, Out, In>(
  names: Form<Name>,
  values: Form<Out, In>,
): Form<MapOf<Name, Out>, MapOf<Name, In>> => ({
  words: ['a map'],
  names,
  values,
  takes: isMap,
  read(map: object, mistakes) {
    const output: [string, Out][] = [];
    for (const [name, value] of Object.entries(map)) {
      if (mistakes.length >= mostMistakes) break;
      const found: Mistake[] = [];
      check(names, name, found);
      for (const { message } of found) mistakes.push({ ...mistakeOn(name), message });
      output.push([name, checkAt(name, values, value, mistakes)]);
    }
    return Object.fromEntries(output) as MapOf<Name, Out>;
  },
});

/** Any of these. Of several maps that may be meant, the mistakes are those of the one with the fewest wrong names. */
export const either = <const Options extends readonly AnyForm[]>(
  ...options: Options
): Form<Output<Options[number]>, Input<Options[number]>> => ({
  words: [...new Set(options.flatMap(({ words }) => words))],
  options,
  takes: (value) => options.some((option) => option.takes(value)),
  read(value, mistakes) {
    const tries = options
      .filter((option) => option.takes(value))
      .map((option) => {
        const found: Mistake[] = [];
        return { output: option.read(value, found), found, wrong: 0 };
      });
    for (const each of tries) each.wrong = wrongNames(each.found);
    const best = tries.reduce((least, each) => (each.wrong < least.wrong ? each : least));
    mistakes.push(...best.found);
    return best.output as Output<Options[number]>;
  },
});

/** How far a map is from the one that was meant: an unknown name tells most, one that is nearly right a little less. */
const wrongNames = (mistakes: readonly Mistake[]) =>
  mistakes
    .filter(({ steps, onName }) => steps.length === 1 && onName)
    .reduce((sum, { message }) => sum + (message === noField ? 10 : message.startsWith(noField) ? 9 : 1), 0);

/** A field that may be left out. */
export function optional<Out, In>(form: Form<Out, In>): Form<Out | undefined, In | undefined>;
/** @param fallback what it is then, as read */
export function optional<Out, In>(form: Form<Out, In>, fallback: NoInfer<Out>): Form<Out, In | undefined>;
export function optional(form: AnyForm, fallback?: unknown): AnyForm {
  return { ...form, of: form, isOptional: true, fallback };
}
