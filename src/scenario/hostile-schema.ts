import { hostileResetForms, hostileRetryAfterForms } from '../faults/hostile-headers.js';
import { fields, oneOf, optional } from '../schema/schemas.js';
import { count } from '../schema/value-schemas.js';

/** Rate-limit headers as badly written services send them. */
export const hostileHeadersSchema = fields({
  retryAfter: optional(oneOf(...hostileRetryAfterForms)),
  reset: optional(oneOf(...hostileResetForms)),
  remaining: optional(count),
  html: optional(oneOf(true)),
});
