import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from './send-response.js';

/** Path of the health check, also in an absolute request target. */
const healthPath = /^(?:http:\/\/[^/?#]*)?\/__sim\/health(?:\?|$)/i;

/**
 * Whether a request is a health check, which needs neither a control token nor an allowed Host. Probes of containers and
 * load balancers have no secret, and name the server by any address.
 */
export const isHealthCheck = ({ method, url = '' }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && healthPath.test(url);

/** Responds to a health check without access to the control API. The response shows only that the server is up. */
export function sendHealth(response: ServerResponse): void {
  sendJson(response, 200, '{"status":"ok"}', {
    'Cache-Control': 'no-store',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  });
}
