import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isForeignPage, isLoopbackOrigin } from './cors.js';
import { type Refusal, refusal } from './guard.js';
import { isPage } from './page.js';
import { hasBody } from './read-body.js';

/** What tools in a page may read: they describe the API and this server, and give nothing away. */
const descriptions = new Set(['/__sim/service.json', '/__sim/openapi.json']);

/** Whether a page may read a description: of this machine, on another port. */
function isDescription({ method = '', url = '', headers: { origin } }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
  const [path = ''] = url.split('?', 1);
  return isRead && descriptions.has(path) && origin !== undefined && isLoopbackOrigin(origin);
}

/**
 * The headers that let a page of another origin read the answer: one that may use the control API, and one of this
 * machine, which may read a description and why it may not do more. The console of a browser shows nothing of an answer
 * that the page may not read.
 * @param allowedOrigins the pages that may use the control API
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

/** Who may use the control API. */
export interface ControlAccess {
  /** When set, every request must bring it as `Authorization: Bearer TOKEN`. */
  controlToken: string | undefined;
  /** The origins of pages that may use it, besides the pages of this server. */
  allowedOrigins: readonly string[];
}

/** Checks for the control API: no other site may drive it through a visitor's browser. */
export function checkControlRequest(
  request: IncomingMessage,
  { controlToken: token, allowedOrigins }: ControlAccess,
): Refusal | undefined {
  const { headers, method = '' } = request;
  const { origin } = headers;
  // The page has no data: behind a proxy it is there to show what its own requests are told.
  if (!isPage(request) && !isDescription(request) && !(origin !== undefined && allowedOrigins.includes(origin))) {
    if (origin !== undefined && isForeignPage(request)) {
      const help = isLoopbackOrigin(origin)
        ? `; to let this one, start the server with --allowed-origin ${origin}`
        : '';
      return refusal(403, 'forbidden', `The control API does not answer pages of other origins${help}.`);
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
    return refusal(415, 'unsupported_media_type', 'The control API expects JSON; send Content-Type: application/json.');
  }
  return undefined;
}

/** Compares in a time that does not depend on where the texts differ. */
function isSame(given: string, expected: string): boolean {
  const a = Buffer.from(given);
  const b = Buffer.from(expected);
  return a.length === b.length && timingSafeEqual(a, b);
}
