import { type Observation, observation } from './observation.js';
import { isRefusal } from './observed-rate.js';
import type { ParsedExchange } from './service-facts.js';

/** Concludes from test requests of `calibrate` how the API handles unusual keys, paths, methods and origins. */
export function questionObservations(exchange: ParsedExchange): Observation[] {
  const { question, status } = exchange;
  if (question === undefined || status === 0 || status >= 500 || isRefusal(exchange)) return [];
  const description = `answered with ${status}`;
  if (question === 'acceptAnyKey') {
    const possibleValues = { 401: [false], 200: [true] }[status] ?? [];
    return [observation(question, possibleValues, `a made-up key was ${description}`)];
  }
  switch (question) {
    case 'unknownRoute':
    case 'unknownMethod': {
      const possibleValues = { 404: ['not-found'], 405: ['method-not-allowed'] }[status] ?? [];
      return status === 401 ? [] : [observation(question, possibleValues, description)];
    }
    case 'cors':
      return [corsObservation(exchange)];
    default:
      return [];
  }
}

function corsObservation({ headers, requestHeaders: { origin } }: ParsedExchange): Observation {
  const { 'Access-Control-Allow-Origin': allowed, 'Access-Control-Expose-Headers': exposed = '' } = headers;
  const description =
    allowed === undefined
      ? `no Access-Control-Allow-Origin for a page of ${origin}`
      : `a page of ${allowed} may read the response`;
  if (allowed === undefined) return observation('cors', ['off', 'a list of origins'], description);
  if (allowed !== origin) return observation('cors', [], description);
  const shows = /x-ratelimit-remaining/i.test(exposed) && /retry-after/i.test(exposed);
  return shows
    ? observation('cors', ['loopback'], description)
    : observation('cors', ['hidden'], `${description}, but not the rate-limit headers`);
}
