import { unauthorized } from '../requests/api-error.js';
import { ownText } from '../values/own-text.js';
import type { ApiKey } from './api-key.js';

/**
 * Authorization header with a bearer token. The scheme name is case-insensitive (RFC 9110 section 11.1); one space and
 * the token follow (RFC 6750 section 2.1).
 */
const bearer = /^bearer +[^\s,]+$/i;

/**
 * Reads the API key from the Authorization header: "Authorization: Bearer <API_KEY>".
 * @param authorization the header; two headers arrive joined by a comma and are rejected
 * @throws {ApiError} 401 "for a missing or invalid API key"
 */
export function readToken(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '') {
    throw unauthorized('The Authorization header is missing; send "Authorization: Bearer <API_KEY>".', false);
  }
  if (!bearer.test(authorization)) {
    throw unauthorized('The Authorization header is not of the form "Bearer <API_KEY>".', false);
  }
  return lastWord(authorization);
}

const lastWord = (authorization: string): string => authorization.slice(authorization.lastIndexOf(' ') + 1);

/** Returns the token of a request, known or not: the last word of its header Authorization, whatever the scheme. */
export function tokenOf(call: { header(name: string): string | undefined }): string | undefined {
  const authorization = call.header('authorization');
  return authorization && ownText(lastWord(authorization));
}

/** Finds an API key by its token, without changing the key. @throws {ApiError} 401 if the key is unknown */
export function findKey(token: string, find: (token: string) => ApiKey | undefined): ApiKey {
  const key = find(token);
  if (key === undefined) throw unauthorized('The API key is unknown.', true);
  return key;
}

/**
 * Checks that an API key is valid at a given time.
 * @throws {ApiError} 401 if the key is revoked or expired
 */
export function requireValid({ state, expiresAtMs }: ApiKey, nowMs: number): void {
  if (state === 'revoked') throw unauthorized('The API key was revoked.', true);
  if (expiresAtMs !== undefined && nowMs >= expiresAtMs) throw unauthorized('The API key has expired.', true);
}
