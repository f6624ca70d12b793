import { isStatus } from '../../petstore/operation.js';
import { maximumBodyBytes } from '../../requests/api-error.js';
import { isInt64 } from '../../values/int64.js';
import { fromJsonBytes } from '../../values/json-bytes.js';
import type { Observation } from './observation.js';
import { isRefusal } from './observed-rate.js';
import { asPet, featuresOf, isObject, type ParsedExchange, type ServiceFacts } from './service-facts.js';

const newPetFields = ['name', 'categoryId', 'status'];

type Odd = 'contentType' | 'emptyName' | 'unknownFields' | 'unknownCategory';

/**
 * Reads observations about the service's undocumented behavior from a createPet response.
 * @param facts data from earlier responses
 */
export function writeObservations(exchange: ParsedExchange, facts: ServiceFacts): Observation[] {
  const { operation, status, body, sent, requestBody, missing } = exchange;
  if (operation !== 'createPet' || status === 401 || status === 0 || status >= 500 || isRefusal(exchange)) return [];
  if (missing.includes('request body')) return [];
  const { length } = fromJsonBytes(requestBody ?? '');
  if (length > maximumBodyBytes) {
    return [
      {
        about: 'bodyTooLarge',
        possibleValues: status === 413 ? ['payload-too-large'] : [],
        description: `${length} bytes, answered with ${status}`,
      },
    ];
  }
  if (!isObject(sent)) return [];
  // A rejection of a new pet may be due to the Content-Type, if the recording does not contain it.
  const type = exchange.requestHeaders['content-type'];
  const isJson = type !== undefined && /^application\/json\b/i.test(type);
  const { name, categoryId, status: wanted } = sent;
  const isComplete = typeof name === 'string' && isInt64(categoryId) && (wanted === undefined || isStatus(wanted));
  if (!isComplete) {
    return status === 400 || !isJson
      ? []
      : [
          {
            about: 'document',
            possibleValues: [],
            description: `answered with ${status}, although the body misses a required field or has an invalid value`,
          },
        ];
  }
  const extra = Object.keys(sent).filter((field) => !newPetFields.includes(field) && field !== 'id');
  const odd: Odd[] = [];
  if (type !== undefined && !isJson) odd.push('contentType');
  if (name === '') odd.push('emptyName');
  if (extra.length > 0) odd.push('unknownFields');
  if (!facts.categories.has(categoryId)) odd.push('unknownCategory');
  const description = `answered with ${status}`;
  if (status === 201)
    return [...odd.flatMap((each) => accepted(each, exchange, extra)), ...statusObservation(exchange)];
  const [only] = odd;
  if (odd.length === 0 && !isJson) return [];
  if (odd.length === 0)
    return [
      { about: 'document', possibleValues: [], description: `${description}, although the body is a complete NewPet` },
    ];
  if (odd.length > 1 || only === undefined || body === undefined || type === undefined) return [];
  const possibleValues = status === 400 ? ['reject'] : status === 415 && only === 'contentType' ? ['unsupported'] : [];
  // A recording does not show why the service rejected a new pet, so this conclusion is only likely.
  if (exchange.question === undefined) return [{ about: only, possibleValues, description, isLikely: true }];
  const isOdd = oddFeatures[only](extra);
  return [
    {
      about: only,
      possibleValues,
      description,
      needs: featuresOf(exchange).filter((feature) => !isOdd(feature)),
    },
  ];
}

/**
 * Features of a request that a service may reject, one for each unusual property. A rejection is evidence for one of
 * them only if other requests with the remaining features were accepted.
 */
const oddFeatures: Readonly<Record<Odd, (extra: readonly string[]) => (feature: string) => boolean>> = {
  contentType: () => (feature) => feature.startsWith('Content-Type '),
  emptyName: () => (feature) => feature === 'field name=',
  unknownFields: (extra) => (feature) =>
    extra.some((field) => feature.startsWith(`field ${field}=`) || feature.startsWith(`field ${field}: `)),
  unknownCategory: () => (feature) => feature.startsWith('field categoryId='),
};

function accepted(odd: Odd, { body, question }: ParsedExchange, extra: readonly string[]): Observation[] {
  const description = 'answered with 201';
  if (odd !== 'unknownFields') {
    // Ignores a rejected category in a recording, because the service may lack the category. `calibrate` sends an id
    // that the service certainly lacks.
    return odd === 'unknownCategory' && question !== odd
      ? []
      : [{ about: odd, possibleValues: ['accept'], description }];
  }
  const shown = extra.filter((field) => isObject(body) && Object.hasOwn(body, field)).length;
  const possibleValues = shown === 0 ? ['ignore'] : shown === extra.length ? ['echo'] : [];
  return [{ about: odd, possibleValues, description: `${description}, ${shown === 0 ? 'without' : 'with'} the field` }];
}

function statusObservation({ sent, body }: ParsedExchange): Observation[] {
  if (!isObject(sent) || !isObject(body)) return [];
  if (sent.status !== undefined) {
    return body.status === sent.status
      ? []
      : [
          {
            about: 'document',
            possibleValues: [],
            description: `stored as ${String(body.status)}, although the request description ${String(sent.status)}`,
          },
        ];
  }
  const pet = asPet(body);
  if (pet === undefined)
    return [{ about: 'document', possibleValues: [], description: 'answered with 201 and no Pet' }];
  const value = body.status === undefined ? 'absent' : body.status;
  const possibleValues = value === 'absent' || isStatus(value) ? [value] : [];
  return [{ about: 'defaultStatus', possibleValues, description: `stored as ${String(value)}` }];
}
