import * as v from 'valibot';
import type { Scenario } from '../scenario/schema.js';

/** How a value is described in OpenAPI, where the schema alone does not tell. */
const shownAs = <Input>(jsonSchema: Record<string, unknown>) =>
  v.metadata<Input, { jsonSchema: Record<string, unknown> }>({ jsonSchema });

const digits = /^[0-9]{1,15}$/;

/** A whole number; as text too, because a query has nothing else. */
export const wholeNumber = (least: number, most: number) =>
  v.pipe(
    v.union([v.number(), v.string()]),
    v.transform((value) => (typeof value === 'string' && digits.test(value) ? Number(value) : value)),
    v.custom<number>(
      (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
      `expected a whole number from ${least} to ${most}`,
    ),
    shownAs({ type: 'integer', minimum: least, maximum: most }),
  );

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The content of a scenario; `Simulator.check` looks into it. */
export const scenarioContent = v.pipe(
  v.custom<Scenario>(isObject, 'expected a scenario, which is a map'),
  shownAs({ type: 'object', description: 'A scenario, as in a file.' }),
);

/** A scenario by its name or by its content. */
export const scenarioInput = v.pipe(
  v.custom<string | Scenario>(
    (value) => typeof value === 'string' || isObject(value),
    'expected the name of a scenario, or its content, which is a map',
  ),
  shownAs({ type: ['string', 'object'], description: 'The name of a scenario, or its content as in a file.' }),
);

/** The name of a sandbox or a snapshot; not `.` or `..`, which a client would resolve in an address. */
export const name = v.pipe(
  v.string(),
  v.regex(/^(?!\.\.?$)[A-Za-z0-9._-]{1,64}$/, 'expected a name of 1 to 64 letters, digits, ".", "_" or "-"'),
  shownAs({ type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' }),
);

/** An API key: whole, or its id as `listKeys` shows it. */
export const keyReference = v.pipe(
  v.string(),
  v.minLength(1, 'expected an API key or its id'),
  shownAs({ type: 'string', description: 'The API key, or its id.' }),
);
