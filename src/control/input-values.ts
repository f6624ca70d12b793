import type { Scenario } from '../scenario/scenario-schema.js';
import { refine, type Schema, transform } from '../schema/schema.js';
import { either, kind, number, string } from '../schema/schemas.js';
import { matching } from '../schema/value-schemas.js';
import { sandboxNamePattern } from '../simulator/sandboxes.js';
import { isMap } from '../values/plain-data.js';

/** How a description shows a value, where its form alone does not tell: further keywords of JSON Schema. */
export const shownAs = <Out, In>(form: Schema<Out, In>, json: Record<string, unknown>): Schema<Out, In> => ({
  ...form,
  json: { ...form.json, ...json },
});

const digits = /^[0-9]{1,15}$/;

/** A whole number; as text too, because a query has nothing else. */
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

/** The content of a scenario; `Simulator.check` looks into it. */
export const scenarioContent = kind<Scenario>('a scenario, which is a map', isMap, {
  type: 'object',
  description: 'A scenario, as in a file.',
});

/** A scenario by its name or by its content. */
export const scenarioInput = kind<string | Scenario>(
  'the name of a scenario, or its content, which is a map',
  (value) => typeof value === 'string' || isMap(value),
  { type: ['string', 'object'], description: 'The name of a scenario, or its content as in a file.' },
);

/** The name of a sandbox or a snapshot. */
export const name = shownAs(matching(sandboxNamePattern, 'a name of 1 to 64 letters, digits, ".", "_" or "-"'), {
  pattern: '^[A-Za-z0-9._-]{1,64}$',
});

/** An API key: whole, or its id as `listKeys` shows it. */
export const keyReference = refine(string, (key) => key !== '', 'an API key or its id', {
  description: 'The API key, or its id.',
});
