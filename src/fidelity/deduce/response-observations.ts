import { getPetRemovedAtMs } from '../../petstore/document.js';
import { rateLimitHeaders, retryAfterHeader } from '../../rate-limits/header-names.js';
import type { ErrorCode } from '../../requests/error-codes.js';
import { parseInt64 } from '../../values/int64.js';
import { readTold } from '../../values/told-waits.js';
import { contradiction, type Observation, observation } from './observation.js';
import { isRefusal, rateOf, retryAfterEndMs } from './observed-rate.js';
import { isObject, type ParsedExchange, petIdIn, type ServiceFacts } from './service-facts.js';

/**
 * Reads evidence from a response of the real API about behavior that the API's documentation leaves open. Reads the
 * headers of any response, and the body of an error.
 */
export function responseObservations(exchange: ParsedExchange): Observation[] {
  const { status } = exchange;
  if (status === 0 || status >= 500 || exchange.missing.includes('answer headers')) return [];
  return [
    ...headerObservations(exchange),
    ...(isRefusal(exchange) ? refusalObservations(exchange) : []),
    ...errorObservations(exchange),
  ];
}

function headerObservations(exchange: ParsedExchange): Observation[] {
  const { status, headers } = exchange;
  const rate = rateOf(exchange);
  const observations: Observation[] = [];
  if (status === 401 && !isRefusal(exchange)) {
    const [limit, remaining] = [headers[rateLimitHeaders.limit], headers[rateLimitHeaders.remaining]];
    const possibleValues =
      limit === undefined && remaining === undefined
        ? ['omit']
        : rate !== undefined && rate.limit === rate.remaining
          ? ['full']
          : rate?.remaining === 0
            ? ['remaining-zero']
            : [];
    const description =
      limit === undefined ? 'a 401 without X-RateLimit headers' : `a 401 with Remaining ${remaining} of ${limit}`;
    observations.push(observation('unauthorizedHeaders', possibleValues, description));
  } else if (rate === undefined && Object.keys(headers).length > 0) {
    const missing = Object.values(rateLimitHeaders).filter((name) => !/^\d+$/.test(headers[name] ?? ''));
    observations.push(
      contradiction(`no whole number in ${missing.join(', ')}; "Every API response carries these headers"`),
    );
  }
  if (rate !== undefined) observations.push(draftObservation(headers));
  return observations;
}

/**
 * Determines from a response's headers whether, and in which form, the real API sends the `RateLimit` fields of the
 * IETF draft. Returns evidence for `rateLimitFields`, a setting for API behavior that the documentation leaves open.
 */
function draftObservation(headers: Readonly<Record<string, string>>): Observation {
  const about = 'rateLimitFields';
  const { RateLimit: structured, 'RateLimit-Limit': legacy } = headers;
  if (structured !== undefined) {
    const has = (name: string) => new RegExp(`;\\s*${name}=`).test(structured);
    const possibleValues = has('r') && has('t') ? ['structured-rt'] : has('a') && has('w') ? ['structured-aw'] : [];
    return observation(about, possibleValues, `RateLimit: ${structured.slice(0, 40)}`);
  }
  if (legacy === undefined) return observation(about, ['none'], 'no RateLimit field');
  const isWhole = headers['RateLimit-Remaining'] !== undefined && headers['RateLimit-Reset'] !== undefined;
  return observation(about, isWhole ? ['legacy'] : [], 'RateLimit-Limit');
}

function refusalObservations(exchange: ParsedExchange): Observation[] {
  const text = exchange.headers[retryAfterHeader];
  if (text === undefined) {
    return [
      contradiction('a refusal without Retry-After; "The client waits for the time given in the Retry-After header"'),
    ];
  }
  const untilMs = retryAfterEndMs(exchange);
  const isDate = readTold(exchange).retry?.form === 'date';
  const possibleValues = /^\d+$/.test(text) ? ['seconds'] : isDate ? ['http-date'] : [];
  const observations = [observation('retryAfterForm', possibleValues, `Retry-After: ${text.slice(0, 40)}`)];
  const reset = rateOf(exchange)?.reset;
  // Ignores a difference of one second between Retry-After and X-RateLimit-Reset, because both headers are rounded to
  // seconds.
  if (reset !== undefined && untilMs !== undefined && Math.abs(untilMs - reset * 1000) > 1_000) {
    const byS = Math.round(Math.abs(untilMs / 1000 - reset));
    observations.push(
      contradiction(`Retry-After ends ${byS} s ${untilMs > reset * 1000 ? 'after' : 'before'} X-RateLimit-Reset`),
    );
  }
  return observations;
}

const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  405: 'method_not_allowed',
  410: 'gone',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limit_exceeded',
};

/**
 * Reads the error code of a response of the real API. A body that is no Error object contradicts the API's
 * documentation.
 */
function errorObservations(exchange: ParsedExchange): Observation[] {
  const { status, body, method, missing } = exchange;
  if (status < 400 || method === 'HEAD' || missing.includes('answer body')) return [];
  if (!isObject(body) || typeof body.code !== 'string' || typeof body.message !== 'string' || body.status !== status) {
    return [
      contradiction(
        `a ${status} whose body is no Error; "Error responses carry the Error object (code, message, status)"`,
      ),
    ];
  }
  const code = codeOfStatus[status];
  // Ignores the error code of a ban, because only rate-limit refusals show the API's error code for exceeded limits.
  if (code === undefined || (isRefusal(exchange) && (status !== 429 || body.code === 'key_banned'))) return [];
  return [observation(`errorCodes.${code}`, [body.code], `code ${body.code.slice(0, 60)}`)];
}

/** Reads observations about the service's undocumented behavior from a getPet response. */
export function petObservations(
  { operation, path, method, status, headers, arrivedAtMs }: ParsedExchange,
  facts: ServiceFacts,
): Observation[] {
  if (operation !== 'getPet' || status === 401 || status === 429 || status === 0 || status >= 500) return [];
  const petId = petIdIn(path);
  const isRemoved = arrivedAtMs >= getPetRemovedAtMs;
  if (parseInt64(petId) === undefined) {
    if (isRemoved) return [];
    const possibleValues = { 404: ['not-found'], 400: ['reject'] }[status] ?? [];
    return [observation('malformedPetId', possibleValues, `answered with ${status}`)];
  }
  const isStored = facts.isStored(petId);
  if (isRemoved && isStored) {
    const possibleValues = { 404: ['not-found'], 410: ['gone'], 200: ['keep'] }[status] ?? [];
    return [observation('afterRemoval', possibleValues, `answered with ${status} after 5 December 2030`)];
  }
  if (status === 404 && isStored && method === 'GET') {
    return [contradiction('answered with 404, though a list had shown this pet')];
  }
  if (status !== 200) return [];
  const { Deprecation: since, Sunset: until } = headers;
  const about = 'deprecation';
  if (since === undefined)
    return until === undefined
      ? [observation(about, ['silent'], 'no Deprecation, no Sunset')]
      : [observation(about, [], 'Sunset without Deprecation')];
  return until === undefined
    ? [observation(about, [], 'Deprecation without Sunset')]
    : [observation(about, ['headers'], 'Deprecation and Sunset')];
}
