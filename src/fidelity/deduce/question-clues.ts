import type { Clue } from './clue.js';
import type { ReadExchange } from './facts.js';
import { isRefusal } from './rate.js';

/** Reads clues from the responses to calibration questions with a special key, path, method or origin. */
export function questionClues(exchange: ReadExchange): Clue[] {
  const { question, status } = exchange;
  if (question === undefined || status === 0 || status >= 500 || isRefusal(exchange)) return [];
  const says = `answered with ${status}`;
  switch (question) {
    case 'acceptAnyKey':
      return [
        {
          about: question,
          allows: status === 401 ? [false] : status === 200 ? [true] : [],
          says: `a made-up key was ${says}`,
        },
      ];
    case 'unknownRoute':
      return status === 401 ? [] : [{ about: question, allows: status === 404 ? ['not-found'] : [], says }];
    case 'unknownMethod': {
      if (status === 401) return [];
      const allows = { 404: ['not-found'], 405: ['method-not-allowed'] }[status] ?? [];
      return [{ about: question, allows, says }];
    }
    case 'cors':
      return [corsClue(exchange)];
    default:
      return [];
  }
}

function corsClue({ headers, requestHeaders: { origin } }: ReadExchange): Clue {
  const { 'Access-Control-Allow-Origin': allowed, 'Access-Control-Expose-Headers': exposed = '' } = headers;
  const says = allowed === undefined ? `no answer for a page of ${origin}` : `a page of ${allowed} may read it`;
  if (allowed === undefined) return { about: 'cors', allows: ['off', 'a list of origins'], says };
  if (allowed !== origin) return { about: 'cors', allows: [], says };
  const shows = /x-ratelimit-remaining/i.test(exposed) && /retry-after/i.test(exposed);
  return {
    about: 'cors',
    allows: [shows ? 'loopback' : 'hidden'],
    says: `${says}${shows ? '' : ', but not the rate-limit headers'}`,
  };
}
