import * as v from 'valibot';
import { hostileResetForms, hostileRetryAfterForms } from '../policies/hostile-headers.js';
import { count, fields } from './values.js';

/** Rate-limit headers as badly written services send them. */
export const hostileHeadersSchema = fields({
  retryAfter: v.optional(v.picklist(hostileRetryAfterForms)),
  reset: v.optional(v.picklist(hostileResetForms)),
  remaining: v.optional(count),
  html: v.optional(v.literal(true)),
});
