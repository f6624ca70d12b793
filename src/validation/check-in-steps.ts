import type { Steps } from '../values/steps.js';
import type { Step } from './issue.js';
import { type AnySchema, check, checkAt, maximumIssues, type Schema, type SchemaIssue } from './schema.js';
import { readEntry, reportMissing, reportUnknown } from './schemas.js';

/**
 * Function that checks a value with the same result as the function `check`, but with pauses for other work of the
 * server.
 */
export type CheckInSteps = <Out>(schema: Schema<Out, unknown>, value: unknown, issues: SchemaIssue[]) => Steps<Out>;

/**
 * Checks a value like the function `check`, with a pause after each list item and map field. A server can handle other
 * requests during a pause.
 */
export const checkInSteps: CheckInSteps = function* <Out>(
  schema: Schema<Out, unknown>,
  value: unknown,
  issues: SchemaIssue[],
): Steps<Out> {
  if (!schema.accepts(value)) return check(schema, value, issues);
  return (yield* readInSteps(schema, value, issues)) as Out;
};

/**
 * Checks the fields and items of a value, with pauses for other work of the server.
 * @param value must have the type that the schema accepts
 */
function* readInSteps(schema: AnySchema, value: unknown, issues: SchemaIssue[]): Steps<unknown> {
  let bare = schema;
  while (bare.of !== undefined && bare.of.read === bare.read) bare = bare.of;
  const { of, entries, names, values, item, options = [] } = bare;
  // Checks the value of a schema that wraps another schema in one step, without pauses. Such a schema converts or
  // refines the complete value.
  if (of === undefined) {
    if (item !== undefined) return yield* readList(item, value as unknown[], issues);
    if (names !== undefined && values !== undefined) return yield* readMap({ names, values }, value as object, issues);
    if (entries !== undefined) return yield* readFields(entries, value as Record<string, unknown>, issues);
    const [option, ...others] = options.filter((each) => each.accepts(value));
    if (option !== undefined && others.length === 0) return yield* readInSteps(option, value, issues);
  }
  return schema.read(value as never, issues);
}

function* readList(item: AnySchema, values: unknown[], issues: SchemaIssue[]): Steps<unknown[]> {
  const output: unknown[] = [];
  for (const [index, value] of values.entries()) {
    if (issues.length >= maximumIssues) break;
    output.push(checkAt(index, item, value, issues));
    yield;
  }
  return output;
}

function* readMap(schemas: Parameters<typeof readEntry>[0], map: object, issues: SchemaIssue[]): Steps<object> {
  const output = {};
  for (const name of Object.keys(map)) {
    if (issues.length >= maximumIssues) break;
    readEntry(schemas, map, name, output, issues);
    yield;
  }
  return output;
}

function* readFields(
  entries: Readonly<Record<string, AnySchema>>,
  map: Record<string, unknown>,
  issues: SchemaIssue[],
): Steps<object> {
  const output: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(entries)) {
    const value = map[name];
    if (value !== undefined) output[name] = yield* checkAtInSteps(name, schema, value, issues);
    else if (!schema.isOptional) reportMissing(name, schema, issues);
    else if (schema.fallback !== undefined) output[name] = schema.fallback;
    yield;
  }
  reportUnknown(entries, map, issues);
  return output;
}

function* checkAtInSteps(step: Step, schema: AnySchema, value: unknown, issues: SchemaIssue[]): Steps<unknown> {
  const before = issues.length;
  const output = yield* checkInSteps(schema, value, issues);
  for (let index = before; index < issues.length; index++) issues[index]?.steps.unshift(step);
  return output;
}
