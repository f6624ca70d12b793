import { fields, oneOf, optional, string } from '../schema/schemas.js';
import { count, duration, instant, matching } from '../schema/value-schemas.js';

/** RFC 6750 section 2.1, without what would split a list of header values. */
export const keyText = matching(/^[^\s,\p{C}]+$/u, 'an API key without spaces, commas and control characters');

/** The fields of an API key, the same in a scenario, in `sim.keys.add` and in the control API. */
export const keyFields = {
  plan: optional(string),
  state: optional(oneOf('active', 'revoked')),
  expiresAt: optional(instant),
  expiresIn: optional(duration),
  usage: optional(fields({ minute: optional(count), day: optional(count) })),
  bannedFor: optional(duration),
};
