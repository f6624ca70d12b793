import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isForeignPage, isLoopbackOrigin } from '../../http/cors.js';
import { type Refusal, refusal } from '../../http/guard.js';
import { hasBody } from '../../http/read-body.js';
import { readTarget } from '../../http/read-target.js';
import { isPage } from './page.js';

/** Paths of OpenAPI descriptions, which pages from other ports of this machine may read. They contain no data. */
const descriptions = new Set(['/__sim/service.json', '/__sim/openapi.json']);

/** Returns true for a request by which a page of another loopback origin reads an OpenAPI description. */
function isDescription({ method = '', url, headers: { origin } }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  return isRead && descriptions.has(readTarget(url).path) && origin !== undefined && isLoopbackOrigin(origin);
}

/**
 * Returns the CORS headers with which pages of other origins may read responses of the control API. All pages of this
 * machine may, because a browser would otherwise hide the message of a rejected request.
 * @param allowedOrigins origins of pages that may use the whole control API
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
  /**
   * Token that control requests, except for the dashboard's files, must send as `Authorization: Bearer TOKEN`. Without
   * a token, no request needs one.
   */
  controlToken: string | undefined;
  /** Origins of pages that may use the control API, in addition to the dashboard's own origin. */
  allowedOrigins: readonly string[];
}

/**
 * Rejects control requests without the token, and requests of foreign pages. Any website could otherwise control the
 * simulator through a visitor's browser.
 * @param isAnyType whether the body may have any media type, because the operation changes nothing
 */
export function checkControlRequest(
  request: IncomingMessage,
  { controlToken: token, allowedOrigins }: ControlAccess,
  isAnyType = false,
): Refusal | undefined {
  const { headers, method = '' } = request;
  const { origin } = headers;
  // The dashboard's files need no token, because they contain no data. The dashboard itself shows whether its requests
  // are rejected.
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
  // The scheme name is case-insensitive (RFC 9110 section 11.1).
  const [, given = ''] = /^bearer +(.*)$/i.exec(headers.authorization ?? '') ?? [];
  if (token !== undefined && !isPage(request) && !isSame(given, token)) {
    return refusal(401, 'unauthorized', 'The control API needs "Authorization: Bearer <control token>".');
  }
  const contentType = headers['content-type'] ?? (hasBody(request) ? '' : 'application/json');
  const isRead = method === 'GET' || method === 'HEAD';
  if (!isRead && !isAnyType && contentType.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
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
