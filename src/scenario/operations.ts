import { createOperationFinder } from '../requests/operation-table.js';
import { type Issue, issueAt, type Step } from '../validation/issue.js';
import { hintFor } from '../validation/nearest.js';
import { transform } from '../validation/schema.js';
import { either, oneOf } from '../validation/schemas.js';
import { text } from '../validation/value-schemas.js';
import { joinWords } from '../values/join-words.js';
import { isMap, mapOf } from '../values/plain-data.js';
import type { ServiceSchema } from './service-schema.js';

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
 * Creates the schema for operations in a scenario: a name, or a method and path, which means the operation that has
 * them. Converts it to names; a path alone means all operations of the path. Accepts any other text, because
 * `unknownOperations` later reports unknown names.
 */
export const operationNames = ({ rows, basePath }: Pick<ServiceSchema, 'rows' | 'basePath'>) => {
  const find = createOperationFinder(rows, basePath);
  return transform(either(oneOf(...Object.keys(rows)), text), (value): string[] => {
    if (!isPath.test(value)) return [value];
    const names = find(value);
    if (names.length > 0) return names;
    const meant = find(value, true);
    const got = `got ${JSON.stringify(value)}`;
    if (meant.length > 0)
      throw new RangeError(`expected ${quoted(meant, 'or')}, without a value of the path or the query, ${got}`);
    const [, method, path] = /^\s*(\w+)\s+(\S+)/.exec(value) ?? [];
    if (method === undefined) throw new RangeError(`expected ${quoted(Object.keys(rows))}${orMethodAndPath}, ${got}`);
    return [`${method.toUpperCase()} ${path}`];
  });
};

/** Schema for one operation in a scenario: a name, or a method and path. */
export const operationName = (service: Pick<ServiceSchema, 'rows' | 'basePath'>) =>
  transform(operationNames(service), ([name, ...others]) => {
    if (others.length > 0) throw new RangeError(`expected one operation: ${quoted([name as string, ...others], 'or')}`);
    return name as string;
  });

const isPath = /^\s*(?:[a-z]+\s+)?\//i;

const quoted = (names: readonly string[], word?: 'or') => {
  const words = names.map((name) => JSON.stringify(name));
  return word ? joinWords(words, word) : words.join(', ');
};

/**
 * End of the error message for an unknown operation name, after the list of known names. States that a route of the
 * user's own is valid too.
 */
export const orMethodAndPath = ', or the method and path of your own route, such as "GET /v1/orders"';

/** Reports each unknown operation name in a scenario, a fault rule, a journal query or the fault rules of an exported state. */
export function* unknownOperations(content: unknown, { names, acceptsAll }: KnownOperations): Generator<Issue> {
  if (acceptsAll) return;
  for (const { steps, name } of namedOperations(content)) {
    if (names.has(name) || isPath.test(name)) continue;
    const list = [...names];
    const got = `got ${JSON.stringify(name)}${hintFor(name, list)}`;
    yield issueAt(steps, `expected ${quoted(list)}${orMethodAndPath}, ${got}`);
  }
}

/** Returns a warning about each method and path of a fault rule that only a route of the user's own can have. */
export const withoutRoute = (operations: readonly string[] = [], { names, acceptsAll }: KnownOperations): string[] =>
  operations
    .filter((name) => !acceptsAll && !names.has(name))
    .map((name) => `The API has no ${name}; the rule applies only to your own route.`);

function* namedOperations(content: unknown): Generator<{ steps: readonly Step[]; name: string }> {
  const { faults, limits, assumptions, client, when, operation, cost } = content as Record<string, unknown>;
  if (Array.isArray(faults))
    for (const [index, rule] of faults.entries()) yield* namesAt(rule, ['faults', index], ['when', 'operation']);
  const { rules } = mapOf(faults);
  if (Array.isArray(rules))
    for (const [index, exported] of rules.entries())
      yield* namesAt(exported, ['faults', 'rules', index], ['rule', 'when', 'operation']);
  yield* namesAt({ when }, [], ['when', 'operation']);
  yield* namesAt({ operation }, [], ['operation']);
  yield* namesAt(limits, ['limits'], ['appliesTo']);
  yield* namesAt(assumptions, ['assumptions'], ['limitsApply']);
  yield* namesAt(client, ['client'], ['operation']);
  if (isMap(cost)) for (const name of Object.keys(cost)) yield { steps: ['cost', name], name };
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
