import { sandboxNamePattern } from '../sandboxes/sandboxes.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { cut } from '../validation/issue.js';
import { hintFor } from '../validation/nearest.js';
import { refine, type Schema, transform } from '../validation/schema.js';
import { either, fields, kind, number, string } from '../validation/schemas.js';
import { matching } from '../validation/value-schemas.js';
import { isMap } from '../values/plain-data.js';
import { notFound } from './control-error.js';

/** Extends a schema by JSON Schema keywords, which the control API's description shows. */
export const withJsonSchema = <Out, In>(schema: Schema<Out, In>, json: Record<string, unknown>): Schema<Out, In> => ({
  ...schema,
  of: schema,
  json: { ...schema.json, ...json },
});

/** Adds a description to a schema, for the OpenAPI description. */
export const described = <Out, In>(schema: Schema<Out, In>, description: string) =>
  withJsonSchema(schema, { description });

/** Schema of a time in a result, ISO 8601. */
export const instantText = withJsonSchema(string, { format: 'date-time' });

const digits = /^[0-9]{1,15}$/;

/** Schema of an integer. Also accepts digits as text, because a query string contains only text. */
export const wholeNumber = (minimum: number, maximum: number) =>
  refine(
    transform(either(number, string), (value) => (digits.test(String(value)) ? Number(value) : value)) as Schema<
      number,
      number | string
    >,
    (value) => Number.isInteger(value) && value >= minimum && value <= maximum,
    `a whole number from ${minimum} to ${maximum}`,
    { type: 'integer', minimum, maximum },
  );

/** Schema of a short text, such as a word to search for. */
export const shortText = refine(string, ({ length }) => length <= 1_000, 'at most 1,000 characters', {
  maxLength: 1_000,
});

/** Schema of any object, for results that the OpenAPI description does not detail. */
export const anyObject = <Value extends object>(description: string): Schema<Value> =>
  kind<Value>('a map', isMap, { type: 'object', description });

/** Schema of a scenario as input. Accepts any map here; `Simulator.check` later reports mistakes in its fields. */
export const scenarioContent = kind<Scenario>('a scenario, which is a map', isMap);

/** Creates a schema that accepts the name of a scenario or the content of a scenario. */
export const createScenarioInput = (content: Schema<Scenario>): Schema<string | Scenario> => ({
  ...either(string, content),
  labels: ['the name of a scenario', 'a map with its content'],
});

/**
 * Finds a scenario by its name. If the content of a scenario is given instead of a name, returns the content unchanged.
 * @throws {ControlError} 404 for an unknown name
 */
export function findScenario({ scenarios }: Simulator, scenario: string | Scenario): Scenario {
  if (typeof scenario !== 'string') return scenario;
  const found = scenarios.get(scenario);
  if (found !== undefined) return found;
  const hint = hintFor(scenario, [...scenarios.keys()], '; GET /__sim/scenarios lists them');
  throw notFound(`scenario: expected a scenario, got ${JSON.stringify(cut(scenario))}${hint}`);
}

/** Schema of a name for a sandbox or a snapshot. */
export const name = withJsonSchema(matching(sandboxNamePattern, 'a name of 1 to 64 letters, digits, ".", "_" or "-"'), {
  pattern: '^[A-Za-z0-9._-]{1,64}$',
});

/** Schema of a reference to an API key: the key itself, or its id from `listKeys`. */
export const keyReference = refine(string, (key) => key !== '', 'an API key or its id', {
  minLength: 1,
  description: 'API key, or its id.',
});

/** Schema of the result of an operation that removes something. */
export const removed = fields({ removed: described(string, 'Name of the removed object.') });
