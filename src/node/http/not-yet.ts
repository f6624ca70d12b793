import type { RequestListener } from 'node:http';
import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { errorBody } from '../../requests/api-error.js';

const body = errorBody({
  status: 503,
  code: 'service_unavailable',
  message: 'This replica reads the log and does not serve yet; retry in 1 second.',
});

/**
 * Answers every request before there is something to serve: probes see by the 503 that it is not ready.
 * @param onRefused called for each request to the API, with its sandbox
 */
export const createNotYet =
  (onRefused?: (sandbox: string | undefined) => void): RequestListener =>
  (request, response) => {
    request.resume();
    const [, sandbox, api] = /^(?:\/s\/([A-Za-z0-9._-]{1,64}))?(\/v1)(?![^/?])/.exec(request.url ?? '') ?? [];
    if (api !== undefined) onRefused?.(sandbox);
    const headers = {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      [retryAfterHeader]: '1',
    };
    response.writeHead(503, headers).end(request.method === 'HEAD' ? undefined : body);
  };
