import { unauthorized } from '../contract/api-error.js';
import type { ApiKey, Keys } from './keys.js';

/** RFC 9110 section 11.1: the scheme name is case-insensitive; RFC 6750 section 2.1: one space, then the token. */
const bearer = /^bearer +([^\s,]+)$/i;

/**
 * The API key that a request brings: "Authorization: Bearer <API_KEY>".
 * @param authorization the header; two of them arrive joined by a comma, and are refused
 * @throws {ApiError} 401 "for a missing or invalid API key"
 */
export function authenticate(authorization: string | undefined, keys: Keys, nowMs: number): ApiKey {
  if (authorization === undefined || authorization === '') {
    throw unauthorized('The Authorization header is missing; send "Authorization: Bearer <API_KEY>".', false);
  }
  const token = bearer.exec(authorization)?.[1];
  if (token === undefined) {
    throw unauthorized('The Authorization header is not of the form "Bearer <API_KEY>".', false);
  }
  const key = keys.find(token);
  if (key === undefined) throw unauthorized('The API key is unknown.', true);
  keys.startPreset(key);
  if (key.state === 'revoked') throw unauthorized('The API key was revoked.', true);
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs) throw unauthorized('The API key has expired.', true);
  return key;
}
