import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';
import { pluralize } from '../../values/pluralize.js';
import { isRefusal } from '../deduce/observed-rate.js';
import { isObject, parseExchange } from '../deduce/service-facts.js';
import type { ServiceDifference } from './difference.js';

/**
 * Parts of a response, by name, that are the same in the real API and an exact simulation. Times, ids, texts and the
 * number of used requests are left out, because they always differ.
 */
type ResponseShape = Readonly<Record<string, string>>;

/** Extracts the comparable parts of a response, which depend neither on time nor on stored pets nor on usage. */
function shapeOf(exchange: Exchange): ResponseShape {
  const { status, headers, method } = exchange;
  const { body } = parseExchange(exchange);
  const rate = Object.values(rateLimitHeaders).filter((name) => headers[name] !== undefined);
  const link = /<[^>]*[?&]([a-z]+)=[^>]*>\s*;[^,]*rel="?next/i.exec(headers.Link ?? '')?.[1];
  const isError = status >= 400;
  return {
    status: String(status),
    'Content-Type': (headers['Content-Type'] ?? 'none').split(';')[0]?.toLowerCase() ?? '',
    'X-RateLimit headers': rate.join(', ') || 'none',
    'Retry-After': isRefusal(exchange) ? (/^\d+$/.test(headers[retryAfterHeader] ?? '') ? 'seconds' : 'other') : 'none',
    'Link to the next page': link ?? 'none',
    Allow: (headers.Allow ?? 'none').split(/, */).sort().join(', '),
    'WWW-Authenticate': (headers['WWW-Authenticate'] ?? 'none').split(' ')[0] ?? '',
    // Compares the headers Deprecation and Sunset only in responses with status 200. A difference of these headers in
    // error responses does not count.
    'Deprecation and Sunset':
      (status === 200 && ['Deprecation', 'Sunset'].filter((name) => headers[name] !== undefined).join(', ')) || 'none',
    body: method === 'HEAD' ? 'none' : bodyShape(body),
    ...(isError && isObject(body) && { code: String(body.code) }),
  };
}

function bodyShape(body: ReturnType<typeof parseExchange>['body']): string {
  if (body === undefined) return 'no JSON';
  if (Array.isArray(body)) {
    const fields = [...new Set(body.map(itemFieldsOf))].sort();
    return `${pluralize(body.length, 'item')}${fields.length > 0 ? ` with ${fields.join(' or ')}` : ''}`;
  }
  return isObject(body) ? `an object with ${fieldsOf(body)}` : `a ${typeof body}`;
}

const fieldsOf = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value).sort().join(', ') : typeof value;

/**
 * Returns the field names of an item in a list response. Ignores the field `petstore-sim-probe`, because test requests
 * of `calibrate` may have stored the field in some pets.
 */
const itemFieldsOf = (value: unknown) => fieldsOf(value).replace(/(?:, )?petstore-sim-probe/, '');

/**
 * Compares the response of a real API with the simulator's response to the same request. Returns each part that
 * differs, such as the status or a header.
 */
export function responseDifferences(exchange: Exchange, answer: Exchange): ServiceDifference[] {
  const [own, simulated] = [shapeOf(exchange), shapeOf(answer)];
  return Object.keys({ ...own, ...simulated }).flatMap((about) => {
    const [service = 'none', simulator = 'none'] = [own[about], simulated[about]];
    return service === simulator ? [] : [{ kind: 'drift', about, service, simulator, place: placeOf(exchange) }];
  });
}
