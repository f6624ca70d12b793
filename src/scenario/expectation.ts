import { refine } from '../validation/schema.js';
import { boolean, fields, list, number, oneOf, optional } from '../validation/schemas.js';
import { whole } from '../validation/value-schemas.js';
import { findingCodes } from './finding-codes.js';

/** Schema of a scenario's `expect` field: the client behavior that passes the scenario. */
export const expectationSchema = fields({
  verdict: optional(oneOf('pass')),
  served: optional(boolean),
  fail: optional(list(oneOf(...findingCodes))),
  amplification: optional(refine(number, (ratio) => ratio >= 1, 'a number from 1')),
  refused: optional(list(whole(200, 599, 'a status from 200 to 599'))),
});
