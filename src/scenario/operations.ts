import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { hintFor } from '../validation/nearest.js';
import { either, oneOf } from '../validation/schemas.js';
import { text } from '../validation/value-schemas.js';
import { isMap } from '../values/plain-data.js';

/** Operation names that a scenario may use. A method and path, such as `GET /v1/orders`, is always allowed. */
export interface KnownOperations {
  readonly names: Set<string>;
  /**
   * Whether every operation name in a scenario is accepted. True for scenarios in log entries, which the writing server
   * has checked, and with a backend of the user, which can serve any path.
   */
  acceptsAll: boolean;
}

export const knownOperations = (names: Iterable<string>): KnownOperations => ({
  names: new Set(names),
  acceptsAll: false,
});

/** Accepts every operation name in a scenario, for scenarios whose operation names are checked later. */
export const anyOperation: KnownOperations = { names: new Set(), acceptsAll: true };

/**
 * Creates the schema for an operation's name in a scenario. Accepts any text, because `unknownOperations` later reports
 * unknown names.
 * @param known names that editors suggest
 */
export const operationName = (known: readonly string[]) => either(oneOf(...known), text);

const methodAndPath = /^[A-Z]+ \//;

/**
 * End of the error message for an unknown operation name, after the list of known names. States that a method with a
 * path is valid too.
 */
export const orMethodAndPath = ', or a method and path such as "GET /v1/orders"';

/** Reports each unknown operation name in a scenario or a fault rule. */
export function* unknownOperations(content: unknown, { names, acceptsAll }: KnownOperations): Generator<Issue> {
  if (acceptsAll) return;
  for (const { steps, name } of namedOperations(content)) {
    if (names.has(name) || methodAndPath.test(name)) continue;
    const list = [...names];
    const expected = list.map((each) => JSON.stringify(each)).join(', ') + orMethodAndPath;
    yield issueAt(steps, `expected ${expected}, got ${JSON.stringify(name)}${hintFor(name, list)}`);
  }
}

function* namedOperations(content: unknown): Generator<{ steps: readonly Step[]; name: string }> {
  const { faults, limits, assumptions, client, when } = content as Record<string, unknown>;
  if (Array.isArray(faults))
    for (const [index, rule] of faults.entries()) yield* namesAt(rule, ['faults', index], ['when', 'operation']);
  yield* namesAt({ when }, [], ['when', 'operation']);
  yield* namesAt(limits, ['limits'], ['appliesTo']);
  yield* namesAt(assumptions, ['assumptions'], ['limitsApply']);
  yield* namesAt(client, ['client'], ['operation']);
}

/**
 * Finds the operation names in one field of a scenario. The field's value is one name or a list of names; a value of
 * `all` or `none` is no name.
 * @param from part of the scenario that contains the field
 * @param base path of this part in the scenario
 * @param path path of the field within this part
 */
function* namesAt(from: unknown, base: readonly Step[], path: readonly string[]) {
  let value = from;
  for (const field of path) value = isMap(value) ? value[field] : undefined;
  const steps = [...base, ...path];
  if (typeof value === 'string' && value !== 'all' && value !== 'none') yield { steps, name: value };
  if (Array.isArray(value))
    for (const [index, name] of value.entries())
      if (typeof name === 'string') yield { steps: value.length > 1 ? [...steps, index] : steps, name };
}
