import type { Observation } from './observation.js';
import { isRefusal } from './observed-rate.js';
import type { ParsedExchange } from './service-facts.js';

/** Reads observations from the responses to test requests with an unusual key, path, method or origin. */
export function questionObservations(exchange: ParsedExchange): Observation[] {
  const { question, status } = exchange;
  if (question === undefined || status === 0 || status >= 500 || isRefusal(exchange)) return [];
  const description = `answered with ${status}`;
  switch (question) {
    case 'acceptAnyKey':
      return [
        {
          about: question,
          possibleValues: status === 401 ? [false] : status === 200 ? [true] : [],
          description: `a made-up key was ${description}`,
        },
      ];
    case 'unknownRoute':
      return status === 401
        ? []
        : [{ about: question, possibleValues: status === 404 ? ['not-found'] : [], description }];
    case 'unknownMethod': {
      if (status === 401) return [];
      const possibleValues = { 404: ['not-found'], 405: ['method-not-allowed'] }[status] ?? [];
      return [{ about: question, possibleValues, description }];
    }
    case 'cors':
      return [corsObservation(exchange)];
    default:
      return [];
  }
}

function corsObservation({ headers, requestHeaders: { origin } }: ParsedExchange): Observation {
  const { 'Access-Control-Allow-Origin': allowed, 'Access-Control-Expose-Headers': exposed = '' } = headers;
  const description = allowed === undefined ? `no answer for a page of ${origin}` : `a page of ${allowed} may read it`;
  if (allowed === undefined) return { about: 'cors', possibleValues: ['off', 'a list of origins'], description };
  if (allowed !== origin) return { about: 'cors', possibleValues: [], description };
  const shows = /x-ratelimit-remaining/i.test(exposed) && /retry-after/i.test(exposed);
  return {
    about: 'cors',
    possibleValues: [shows ? 'loopback' : 'hidden'],
    description: `${description}${shows ? '' : ', but not the rate-limit headers'}`,
  };
}
