import type { WindowName } from '../requests/request-record.js';
import { hintFor } from '../validation/nearest.js';
import { refine, type Schema } from '../validation/schema.js';
import { mapOf, string } from '../validation/schemas.js';
import { type DocumentedWindow, documentedNames } from '../values/window-fields.js';

const namePattern = /^[a-z][a-zA-Z0-9]*$/;

/**
 * Schema of the name that a scenario gives to a window. Excludes the names of `Object.prototype`, because every map
 * seems to have an entry of such a name.
 */
export const windowName = refine(
  string,
  (name) => namePattern.test(name) && !(name in Object.prototype),
  'the name of a window: a small letter, then letters and digits, such as hour',
  { pattern: namePattern.source },
);

/** Values by window, as written: TypeScript and editors suggest the documented windows. */
type Written<Value> = { [Name in DocumentedWindow]?: Value | undefined } & {
  [name: WindowName]: Value | undefined;
};

/**
 * Creates the schema of a map with one value for each window that it names.
 * @param names schema of the names; default: any text, for names that are checked against the windows of the scenario
 */
export const perWindow = <Out, In>(values: Schema<Out, In>, names: Schema<string> = string) =>
  ({ ...mapOf(names, values), suggested: documentedNames }) as unknown as Schema<
    Readonly<Record<WindowName, Out>>,
    Readonly<Written<In>>
  >;

/** Message for a window that a plan or a scenario does not have. */
export const unknownWindow = (name: string, known: readonly WindowName[], owner: 'plan' | 'scenario'): string =>
  `expected a window of the ${owner} (${known.join(', ')}), got ${JSON.stringify(name)}${hintFor(name, known)}`;
