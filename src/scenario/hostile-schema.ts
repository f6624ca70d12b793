import { hostileResetForms, hostileRetryAfterForms } from '../policies/hostile-headers.js';
import { fields, oneOf, optional } from './forms.js';
import { count } from './values.js';

/** Rate-limit headers as badly written services send them. */
export const hostileHeadersSchema = fields({
  retryAfter: optional(oneOf(...hostileRetryAfterForms)),
  reset: optional(oneOf(...hostileResetForms)),
  remaining: optional(count),
  html: optional(oneOf(true)),
});
