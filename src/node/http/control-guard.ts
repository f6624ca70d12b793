import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isForeignPage, isLoopbackOrigin } from './cors.js';
import { type Refusal, refusal } from './guard.js';
import { isPage } from './page.js';
import { hasBody } from './read-body.js';

/** What tools in a page may read: they describe the API and this server, and give nothing away. */
const descriptions = new Set(['/__sim/service.json', '/__sim/openapi.json']);

/** The headers that let a page of this machine, on another port, read a description; for everything else `undefined`. */
export function descriptionCors({
  method = '',
  url = '',
  headers,
}: IncomingMessage): Record<string, string> | undefined {
  const { origin } = headers;
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const [path = ''] = url.split('?', 1);
  if (!isRead || !descriptions.has(path) || origin === undefined || !isLoopbackOrigin(origin)) return undefined;
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' };
}

/**
 * Checks for the control API: no other site may drive it through a visitor's browser.
 * @param token when set, every request must bring it as `Authorization: Bearer TOKEN`
 */
export function checkControlRequest(request: IncomingMessage, token: string | undefined): Refusal | undefined {
  const { headers, method = '' } = request;
  if (descriptionCors(request) === undefined) {
    if (isForeignPage(request)) {
      return refusal(403, 'forbidden', 'The control API does not answer pages of other origins.');
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return refusal(403, 'forbidden', 'The control API does not answer pages of other sites.');
    }
  }
  if (token !== undefined && !isPage(request) && !isSame(headers.authorization ?? '', `Bearer ${token}`)) {
    return refusal(401, 'unauthorized', 'The control API needs "Authorization: Bearer <control token>".');
  }
  const contentType = headers['content-type'] ?? (hasBody(request) ? '' : 'application/json');
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && contentType.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    return refusal(415, 'unsupported_media_type', 'The control API takes JSON; send Content-Type: application/json.');
  }
  return undefined;
}

/** Compares in a time that does not depend on where the texts differ. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
