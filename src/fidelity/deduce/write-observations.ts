import { isNewPet, isStatus, newPetFields } from '../../petstore/pet.js';
import { maximumBodyBytes } from '../../requests/api-error.js';
import type { Int64 } from '../../values/int64.js';
import { fromJsonBytes } from '../../values/json-bytes.js';
import { contradiction, type Observation, observation } from './observation.js';
import { isRefusal } from './observed-rate.js';
import { asPet, featuresOf, isObject, type ParsedExchange, type ServiceFacts } from './service-facts.js';

type Odd = 'contentType' | 'emptyName' | 'unknownFields' | 'unknownCategory';

/**
 * Reads observations about undocumented behavior of the real API from a response to createPet (`POST /pets`).
 * @param facts data from earlier responses
 */
export function writeObservations(exchange: ParsedExchange, facts: ServiceFacts): Observation[] {
  const { operation, status, body, sent, requestBody, missing } = exchange;
  if (operation !== 'createPet' || status === 401 || status === 0 || status >= 500 || isRefusal(exchange)) return [];
  if (missing.includes('request body')) return [];
  if (fromJsonBytes(requestBody ?? '').length > maximumBodyBytes) return [];
  if (!isObject(sent)) return [];
  // Without a recorded Content-Type, a rejection proves nothing about the pet: the API may have rejected the
  // Content-Type.
  const type = exchange.requestHeaders['content-type'];
  const isJson = type !== undefined && /^application\/json\b/i.test(type);
  if (!isNewPet(sent)) {
    return status === 400 || !isJson
      ? []
      : [contradiction(`answered with ${status}, although the body misses a required field or has an invalid value`)];
  }
  const extra = Object.keys(sent).filter((field) => !Object.hasOwn(newPetFields, field) && field !== 'id');
  const odd: Odd[] = [];
  if (type !== undefined && !isJson) odd.push('contentType');
  if (sent.name === '') odd.push('emptyName');
  if (extra.length > 0) odd.push('unknownFields');
  if (!facts.categories.has(sent.categoryId as Int64)) odd.push('unknownCategory');
  const description = `answered with ${status}`;
  if (status === 201)
    return [...odd.flatMap((each) => accepted(each, exchange, extra)), ...statusObservation(exchange)];
  const [only] = odd;
  if (odd.length === 0 && !isJson) return [];
  if (odd.length === 0) return [contradiction(`${description}, although the body is a complete NewPet`)];
  if (odd.length > 1 || only === undefined || body === undefined || type === undefined) return [];
  const possibleValues = status === 400 ? ['reject'] : status === 415 && only === 'contentType' ? ['unsupported'] : [];
  // Marks the conclusion from a recorded rejection as only likely, because the rejection does not show its reason.
  if (exchange.question === undefined) return [observation(only, possibleValues, description, { isLikely: true })];
  const oddPrefixes = featurePrefixesOf(only, extra);
  const preconditions = featuresOf(exchange).filter((feature) => !oddPrefixes.some((odd) => feature.startsWith(odd)));
  return [observation(only, possibleValues, description, { preconditions })];
}

/**
 * Returns the prefixes of the request features, such as `field name=`, that describe a new pet's unusual property. A
 * rejection is due to the property only if the API is known to accept all other features.
 */
const featurePrefixesOf = (odd: Odd, extra: readonly string[]): readonly string[] =>
  ({
    contentType: ['Content-Type '],
    emptyName: ['field name='],
    unknownFields: extra.flatMap((field) => [`field ${field}=`, `field ${field}: `]),
    unknownCategory: ['field categoryId='],
  })[odd];

function accepted(odd: Odd, { body, question }: ParsedExchange, extra: readonly string[]): Observation[] {
  const description = 'answered with 201';
  if (odd !== 'unknownFields') {
    // The category of an accepted pet may exist in the real API, unless the command `calibrate` invented the category.
    return odd === 'unknownCategory' && question !== odd ? [] : [observation(odd, ['accept'], description)];
  }
  const shown = extra.filter((field) => isObject(body) && Object.hasOwn(body, field)).length;
  const possibleValues = shown === 0 ? ['ignore'] : shown === extra.length ? ['echo'] : [];
  return [observation(odd, possibleValues, `${description}, ${shown === 0 ? 'without' : 'with'} the field`)];
}

function statusObservation({ sent, body }: ParsedExchange): Observation[] {
  if (!isObject(sent) || !isObject(body)) return [];
  if (sent.status !== undefined) {
    return body.status === sent.status
      ? []
      : [contradiction(`stored with status ${body.status}, although the request had ${sent.status}`)];
  }
  if (asPet(body) === undefined) return [contradiction('answered with 201 and no Pet')];
  const { status: value = 'absent' } = body;
  const possibleValues = value === 'absent' || isStatus(value) ? [value] : [];
  return [observation('defaultStatus', possibleValues, `stored as ${value}`)];
}
