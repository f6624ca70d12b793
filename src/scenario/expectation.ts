import { boolean, fields, list, oneOf, optional } from '../validation/schemas.js';
import { findingCodes } from './finding-codes.js';

/** Schema of a scenario's `expect` field: the client behavior that passes the scenario. */
export const expectationSchema = fields({
  verdict: optional(oneOf('pass')),
  served: optional(boolean),
  fail: optional(list(oneOf(...findingCodes))),
});
