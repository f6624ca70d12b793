import type { IncomingMessage } from 'node:http';
import { rateLimitHeaders, retryAfterHeader } from '../rate-limits/header-names.js';
import type { Settings } from '../scenario/settings.js';
import type { Simulator } from '../simulator/simulator.js';
import { isOrigin } from '../values/is-origin.js';
import { isAboutWaits } from '../values/told-waits.js';
import { isLoopback } from './guard.js';

const exposeHeader = 'Access-Control-Expose-Headers';
const always = [...Object.values(rateLimitHeaders), retryAfterHeader, 'Date', 'Link'].join(', ');
const structured = `${always}, RateLimit, RateLimit-Policy`;

/**
 * Names of response headers that a page of another origin may read, by the scenario's setting for rate-limit fields.
 */
const exposed: Readonly<Record<Settings['rateLimitFields'], string>> = {
  none: always,
  legacy: `${always}, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset`,
  'structured-rt': structured,
  'structured-aw': structured,
};

/**
 * Returns the CORS headers with which a page of an allowed origin can read a response; `undefined` for other requests.
 */
export function corsHeaders(
  origin: string | undefined,
  { cors, rateLimitFields }: Settings,
): Record<string, string> | undefined {
  if (origin === undefined || cors === 'off' || !isAllowed(origin, cors)) return undefined;
  const headers: Record<string, string> = { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' };
  if (cors !== 'hidden') headers[exposeHeader] = exposed[rateLimitFields];
  return headers;
}

const isAboutLimits = (name: string) => isAboutWaits(name) || /rate-?limit|call-limit/i.test(name);

/**
 * Adds to CORS headers the names of the response headers about limits that are not the simulator's, so that a page may
 * read the waits of another service.
 */
export function withExposed(
  cors: Readonly<Record<string, string>> | undefined,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const names = cors?.[exposeHeader]?.toLowerCase().split(', ');
  const more =
    names && Object.keys(headers).filter((name) => isAboutLimits(name) && !names.includes(name.toLowerCase()));
  return more?.length ? { ...cors, [exposeHeader]: [cors?.[exposeHeader], ...more].join(', ') } : cors;
}

/**
 * Returns the CORS headers of a response to a web page. `isOriginRefused` is true if the page's origin is not allowed
 * to read the response.
 */
export function corsOf(request: IncomingMessage, { settings }: Simulator) {
  const cors = corsHeaders(request.headers.origin, settings);
  return { cors, isOriginRefused: cors === undefined && isForeignPage(request) };
}

/** Whether a request is a CORS preflight (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/**
 * Headers of the response to a CORS preflight, in addition to those of `corsHeaders`.
 * @param methods allowed methods; default: the requested one, where a backend or a service decides about the method
 */
export function preflightHeaders({ headers }: IncomingMessage, methods?: readonly string[]): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods?.join(', ') ?? (headers['access-control-request-method'] as string),
    'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? 'authorization, content-type',
    'Access-Control-Max-Age': '600',
  };
}

/** Whether a page of another server sent the request, by its `Origin` header. */
export const isForeignPage = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin !== undefined && origin !== `http://${host}`;

/**
 * Whether an origin such as `http://localhost:5173` is on this machine. Parses the URL, because a text pattern could
 * accept names like `localhost.example.com`.
 */
export const isLoopbackOrigin = (origin: string): boolean => isOrigin(origin) && isLoopback(new URL(origin).hostname);

/** Whether a page may read responses: a page of this machine, or of a listed origin. */
const isAllowed = (origin: string, cors: Exclude<Settings['cors'], 'off'>): boolean =>
  isLoopbackOrigin(origin) || (typeof cors !== 'string' && cors.includes(origin));
