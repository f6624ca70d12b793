import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isForeignPage, isLoopbackOrigin } from './cors.js';
import { type Refusal, refusal } from './guard.js';
import { isPage } from './page.js';
import { hasBody } from './read-body.js';

/** Descriptions that a page of this machine may read, for API tools. They contain no data. */
const descriptions = new Set(['/__sim/service.json', '/__sim/openapi.json']);

/** Whether a page of this machine, from another port, reads a description. */
function isDescription({ method = '', url = '', headers: { origin } }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const [path = ''] = url.split('?', 1);
  return isRead && descriptions.has(path) && origin !== undefined && isLoopbackOrigin(origin);
}

/**
 * CORS headers of the control API: for allowed origins, and for pages of this machine, so that they can read descriptions and
 * error messages. Browsers hide an unreadable response even from the console.
 * @param allowedOrigins origins of pages that may use the control API
 */
export function controlCors(
  request: IncomingMessage,
  allowedOrigins: readonly string[],
): Record<string, string> | undefined {
  const { origin } = request.headers;
  if (origin === undefined || !isForeignPage(request)) return undefined;
  if (!allowedOrigins.includes(origin) && !isLoopbackOrigin(origin)) return undefined;
  return { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' };
}

/** Access rules of the control API. */
export interface ControlAccess {
  /** Token that every request must send as `Authorization: Bearer TOKEN`, if set. */
  controlToken: string | undefined;
  /** Origins of pages that may use the control API, in addition to this server's own. */
  allowedOrigins: readonly string[];
}

/** Checks the access to the control API, so that no other site can use it through a visitor's browser. */
export function checkControlRequest(
  request: IncomingMessage,
  { controlToken: token, allowedOrigins }: ControlAccess,
): Refusal | undefined {
  const { headers, method = '' } = request;
  const { origin } = headers;
  // The dashboard's files contain no data. Behind a proxy the dashboard must load to display the rejection of its
  // requests.
  if (!isPage(request) && !isDescription(request) && !(origin !== undefined && allowedOrigins.includes(origin))) {
    if (origin !== undefined && isForeignPage(request)) {
      const help = isLoopbackOrigin(origin)
        ? `; to allow this one, start the server with --allowed-origin ${origin}`
        : '';
      return refusal(403, 'forbidden', `The control API does not serve pages of other origins${help}.`);
    }
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return refusal(403, 'forbidden', 'The control API does not serve pages of other sites.');
    }
  }
  if (token !== undefined && !isPage(request) && !isSame(headers.authorization ?? '', `Bearer ${token}`)) {
    return refusal(401, 'unauthorized', 'The control API needs "Authorization: Bearer <control token>".');
  }
  const contentType = headers['content-type'] ?? (hasBody(request) ? '' : 'application/json');
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && contentType.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    return refusal(415, 'unsupported_media_type', 'The control API expects JSON; send Content-Type: application/json.');
  }
  return undefined;
}

/** Compares two texts in constant time, so that the duration reveals nothing about a token. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
