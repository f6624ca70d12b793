import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hasBody } from './api-listener.js';
import { type Refusal, refusal } from './guard.js';

/**
 * Checks for the control API: no other site may drive it through a visitor's browser.
 * @param token when set, every request must bring it as `Authorization: Bearer TOKEN`
 */
export function checkControlRequest(request: IncomingMessage, token: string | undefined): Refusal | undefined {
  const { headers, method = '' } = request;
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) {
    return refusal(403, 'forbidden', 'The control API does not answer pages of other origins.');
  }
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return refusal(403, 'forbidden', 'The control API does not answer pages of other sites.');
  }
  if (token !== undefined && !isSame(headers.authorization ?? '', `Bearer ${token}`)) {
    return refusal(401, 'unauthorized', 'The control API needs "Authorization: Bearer <control token>".');
  }
  const contentType = headers['content-type'] ?? (hasBody(request) ? '' : 'application/json');
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && contentType.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    return refusal(415, 'unsupported_media_type', 'The control API takes JSON; send Content-Type: application/json.');
  }
  return undefined;
}

/** Compares in a time that does not tell where the texts differ. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
