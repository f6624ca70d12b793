import type { Schema } from '../validation/schema.js';
import { either, oneOf, optional, string } from '../validation/schemas.js';
import { count, duration, instant, matching } from '../validation/value-schemas.js';
import type { KeyFrom } from '../values/key-place.js';
import { expectedKeyFrom, keyFromPattern } from '../values/key-place.js';
import { perWindow } from './per-window.js';

/**
 * Schema of an API key's token. Allows the characters of a header (RFC 9110 section 5.5), except those that separate
 * header values.
 */
export const keyText = matching(
  /^[\x21-\x2b\x2d-\x7e\xa1-\xff]+$/,
  'an API key that a header can carry: Latin-1, without spaces, commas and control characters',
);

/** Schema of the place of API keys in requests. */
export const keyFrom = matching(keyFromPattern, expectedKeyFrom) as Schema<KeyFrom>;

/** Schema of a window's used requests: a number, or all of the plan's limit but some, whatever the limit. */
const usedRequests = either(count, matching(/^all(?: but \d{1,15})?$/, 'a number, "all", or such as "all but 1"'));

/** Schemas of an API key's fields, for scenarios, `sim.keys.add` and the control API. */
export const keyFields = {
  plan: optional(string),
  state: optional(oneOf('active', 'revoked')),
  expiresAt: optional(instant),
  expiresIn: optional(duration),
  usage: optional(perWindow(usedRequests)),
  bannedFor: optional(duration),
};
