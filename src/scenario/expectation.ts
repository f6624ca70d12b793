import { boolean, fields, list, oneOf, optional } from '../validation/schemas.js';
import { findingCodes } from './finding-codes.js';

/** Schema of `expect`: the client behavior that a scenario expects. */
export const expectationSchema = fields({
  verdict: optional(oneOf('pass')),
  served: optional(boolean),
  fail: optional(list(oneOf(...findingCodes))),
});
