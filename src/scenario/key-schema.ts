import { oneOf, optional, string } from '../validation/schemas.js';
import { count, duration, instant, matching } from '../validation/value-schemas.js';
import { perWindow } from './per-window.js';

/**
 * Schema of an API key's token. Allows the characters of a header (RFC 9110 section 5.5), except those that separate
 * header values.
 */
export const keyText = matching(
  /^[\x21-\x2b\x2d-\x7e\xa1-\xff]+$/,
  'an API key that a header can carry: Latin-1, without spaces, commas and control characters',
);

/** Schemas of an API key's fields, for scenarios, `sim.keys.add` and the control API. */
export const keyFields = {
  plan: optional(string),
  state: optional(oneOf('active', 'revoked')),
  expiresAt: optional(instant),
  expiresIn: optional(duration),
  usage: optional(perWindow(count)),
  bannedFor: optional(duration),
};
