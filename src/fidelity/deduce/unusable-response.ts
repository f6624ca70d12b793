import { listLimit } from '../../petstore/document.js';
import { isOperationName } from '../../petstore/operations.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { textOfBytes } from '../../values/json-bytes.js';
import { isRefusal } from './observed-rate.js';

/**
 * Whether a request got no response, or a 5xx status other than 501. A 501 is a usable response, because an API sends
 * it for methods that it does not know (RFC 9110 section 15.6.2).
 */
export const hasFailed = ({ status }: Pick<Exchange, 'status'>) => status === 0 || (status >= 500 && status !== 501);

/**
 * Explains why a response is no evidence about the expected API: for example a redirect, an HTML page or a rejected API
 * key.
 * @returns `undefined` if the response is usable or missing
 */
export function unusableResponse(exchange: Exchange): string | undefined {
  const { status, token, baseUrl, path, method, headers, responseBody, missing } = exchange;
  const address = `${method} ${baseUrl}${path}`;
  if (status >= 300 && status < 400) {
    return `${address} responded with a redirect (${status}), expected the API; use the address that it redirects to.`;
  }
  if (isRefusal(exchange)) return undefined;
  const isPlainList = method === 'GET' && path === '/pets' && isPlainQuery(exchange.query);
  if (token === 'own' && (status === 401 || (status === 403 && isPlainList))) {
    return `The service at ${baseUrl} rejected the API key with ${status}; check the key and the address.`;
  }
  if (isPlainList && [404, 405, 410, 501].includes(status)) {
    return `${address} responded with ${status}, expected a list of pets; check the base path, which usually ends in /v1; only a service with the interface of the Petstore can be asked.`;
  }
  const hasBody = (status === 200 || status === 201) && method !== 'HEAD' && !missing.includes('answer body');
  if (hasBody && !isJson(textOfBytes(responseBody))) {
    const type = headers['Content-Type'] ?? 'no Content-Type';
    return `${address} responded with ${status} and a body that is not JSON (${type}), expected a response of the API; check the base URL.`;
  }
  return undefined;
}

/** Whether a response can reveal how the service behaves where the API document leaves this open. */
export const isEvidence = (exchange: Exchange): boolean => unusableResponse(exchange) === undefined;

function isPlainQuery(query: string): boolean {
  const limit = query === '' ? listLimit.default : Number(/^limit=(\d{1,3})$/.exec(query)?.[1]);
  return limit >= listLimit.minimum && limit <= listLimit.maximum;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a backend or a handler behind this simulator answered a recorded request. Its response reveals nothing about
 * the Petstore.
 */
export const isOfBackend = ({ isOwn, operation, refusedBy }: Exchange): boolean =>
  isOwn && (refusedBy !== undefined || (operation !== undefined && !isOperationName(operation)));
