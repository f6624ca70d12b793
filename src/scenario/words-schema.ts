import { type Output, transform } from '../validation/schema.js';
import { anything, either, fields, list, mapOf, oneOf, optional, string } from '../validation/schemas.js';
import { text, whole } from '../validation/value-schemas.js';
import { type JsonValue, stringifyJson } from '../values/json.js';
import { headerName, headerValue, refusingServices } from './fault-schema.js';

const headers = optional(mapOf(headerName, either(headerValue, oneOf(null))), {});

/** Schema of a body, as text or as JSON. */
const body = optional(
  transform(either(text, mapOf(string, anything), list(anything)), (value) =>
    typeof value === 'string' ? value : stringifyJson(value as JsonValue),
  ),
);

/** Schema of a scenario's `words`: refusals, headers about limits, and errors in the words of a service. */
export const wordsSchema = transform(
  either(
    oneOf(...refusingServices),
    fields({
      like: optional(oneOf(...refusingServices)),
      status: optional(whole(200, 599, 'a status from 200 to 599'), 429),
      headers,
      body,
      limits: headers,
      error: body,
    }),
  ),
  (value) => {
    if (typeof value !== 'string') return value;
    throw new RangeError(
      `expected the words of a service; only scenario files and control requests may name "${value}" alone (see words of petstore-sim/node)`,
    );
  },
);

export type Words = Output<typeof wordsSchema>;
