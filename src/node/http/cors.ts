import type { IncomingMessage } from 'node:http';
import type { Settings } from '../../petstore/settings.js';
import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import { isLoopback } from './guard.js';

const always = [...Object.values(rateLimitHeaders), retryAfterHeader, 'Date', 'Link'].join(', ');
const structured = `${always}, RateLimit, RateLimit-Policy`;

/** What a page may read: the fields of the IETF draft too, where they are sent. */
const exposed: Readonly<Record<Settings['rateLimitFields'], string>> = {
  none: always,
  legacy: `${always}, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset`,
  'structured-rt': structured,
  'structured-aw': structured,
};

/** The headers that let a page of an allowed origin read an answer; none for a request without or with another Origin. */
export function corsHeaders(
  origin: string | undefined,
  { cors, rateLimitFields }: Settings,
): Record<string, string> | undefined {
  if (origin === undefined || cors === 'off' || !isAllowed(origin, cors)) return undefined;
  const headers: Record<string, string> = { 'Access-Control-Allow-Origin': origin, Vary: 'Origin' };
  if (cors !== 'hidden') headers['Access-Control-Expose-Headers'] = exposed[rateLimitFields];
  return headers;
}

/** Whether a request is the question that a browser asks before the real one (Fetch standard, CORS-preflight request). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** The answer to a preflight, on top of `corsHeaders`. */
export function preflightHeaders({ headers }: IncomingMessage, methods = 'GET, POST'): Record<string, string> {
  return {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': headers['access-control-request-headers'] ?? 'authorization, content-type',
    'Access-Control-Max-Age': '600',
  };
}

/** Whether a request comes from a page that this server has not served. */
export const isForeignPage = ({ headers: { origin, host } }: IncomingMessage): boolean =>
  origin !== undefined && origin !== `http://${host}`;

/** Whether an `Origin` is a page of this machine: `http://localhost:5173`. Parsed, because other text can match a pattern. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: parsed } = new URL(origin);
  return parsed === origin && (protocol === 'http:' || protocol === 'https:') && isLoopback(hostname);
}

const isAllowed = (origin: string, cors: Exclude<Settings['cors'], 'off'>): boolean =>
  typeof cors === 'string' ? isLoopbackOrigin(origin) : cors.includes(origin);
