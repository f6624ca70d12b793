import type { RequestListener } from 'node:http';
import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { errorBody } from '../../requests/api-error.js';
import { sendJson } from './send-response.js';

const body = errorBody({
  status: 503,
  code: 'service_unavailable',
  message: 'This replica is reading the log; retry in 1 second.',
});

/**
 * Creates a listener that responds to every request with 503, while the server is not ready. Readiness probes expect
 * this status.
 * @param onRefused called for each API request, with the name of the sandbox in its URL; `undefined` without one
 */
export const createUnreadyListener =
  (onRefused?: (sandbox: string | undefined) => void): RequestListener =>
  (request, response) => {
    request.resume();
    const [, sandbox, api] = /^(?:\/s\/([A-Za-z0-9._-]{1,64}))?(\/v1)(?![^/?])/.exec(request.url ?? '') ?? [];
    if (api !== undefined) onRefused?.(sandbox);
    sendJson(response, 503, body, { [retryAfterHeader]: '1' });
  };
