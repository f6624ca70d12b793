import type { RequestListener } from 'node:http';
import { errorBody } from '../../contract/api-error.js';
import { retryAfterHeader } from '../../contract/document.js';

const body = errorBody({
  status: 503,
  code: 'service_unavailable',
  message: 'This replica reads the log and does not serve yet; retry in 1 second.',
});

/** Answers every request before there is something to serve: probes see by the 503 that it is not ready. */
export const answerNotYet: RequestListener = (request, response) => {
  request.resume();
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    [retryAfterHeader]: '1',
  };
  response.writeHead(503, headers).end(request.method === 'HEAD' ? undefined : body);
};
