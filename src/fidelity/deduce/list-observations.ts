import { listLimit } from '../../petstore/document.js';
import { listFilters, listQuery } from '../../petstore/list-query.js';
import { isStatus, type NewPetField, newPetFieldNames, newPetFields, type Pet } from '../../petstore/pet.js';
import type { Int64 } from '../../values/int64.js';
import { joinWords } from '../../values/join-words.js';
import type { JsonValue } from '../../values/json.js';
import { pluralize } from '../../values/pluralize.js';
import { contradiction, type Observation, observation } from './observation.js';
import { asPet, type ParsedExchange, type ServiceFacts } from './service-facts.js';

/** Minimum number of listed pets for a sure conclusion about the order of lists. Fewer pets may be sorted by chance. */
const surelyOrdered = 10;
const likelyOrdered = 4;

const documented = Object.keys(listQuery);
const pagingNames = ['cursor', 'offset', 'page'];
/** Query parameters that select the second page of a list in many APIs, if a page has one pet. */
export const pageParameters = [
  ['page', '2'],
  ['offset', '1'],
] as const;

/**
 * Lists what a listPets response shows about points of behavior that the API's documentation leaves open.
 * @param facts data about the API from earlier responses
 */
export function listObservations(exchange: ParsedExchange, facts: ServiceFacts): Observation[] {
  const { operation, status, body, method, query: text } = exchange;
  if (operation !== 'listPets' || method === 'HEAD') return [];
  const query = new URLSearchParams(text);
  const odd = oddities(query);
  const usesPaging = pagingNames.some((name) => query.has(name));
  const only = odd.length === 1 ? odd[0] : undefined;
  if (exchange.question !== undefined && usesPaging && odd.length === 0)
    return pageObservations(exchange, query, facts);
  // No assumption is about an invalid value of another filter, so a rejection of it shows nothing.
  const hasOtherOdd = Object.entries(listFilters).some(
    ([name, { accepts }]) => name !== 'status' && isOdd(query, name, accepts),
  );
  if (status === 400) {
    if (hasOtherOdd) return [];
    if (only !== undefined && !usesPaging) return [observation(only, ['reject'], 'answered with 400')];
    if (odd.length > 0 || usesPaging) return [];
    return [contradiction(`answered with 400, although ${joinWords(documented)} are valid by the document`)];
  }
  if (status >= 400 && status < 500 && only !== undefined && ![401, 403, 429].includes(status)) {
    return [observation(only, [], `answered with ${status}`)];
  }
  if (status !== 200) return [];
  if (!Array.isArray(body)) {
    return body === undefined
      ? []
      : [contradiction('a body that is not an array, although the document says "JSON array of Pet"')];
  }
  const pets = body.map(asPet);
  if (pets.includes(undefined)) return [contradiction('an item that is not a Pet')];
  const observations = orderObservations(pets as Pet[]);
  if (usesPaging) return observations;
  if (only === 'limitOutOfRange') observations.push(...limitObservations(query, body, facts));
  if (only === 'unknownQuery') observations.push(observation(only, ['ignore'], 'answered with 200'));
  if (only === 'unknownStatusFilter') observations.push(filterObservation(body, facts));
  if (odd.length === 0)
    observations.push(...plainObservations(query, pets as Pet[]), ...pagingObservations(exchange, query, body, facts));
  return observations;
}

type Odd = 'limitOutOfRange' | 'unknownStatusFilter' | 'unknownQuery';

function oddities(query: URLSearchParams): Odd[] {
  const odd: Odd[] = [];
  if (isOdd(query, 'limit', isLimit)) odd.push('limitOutOfRange');
  if (isOdd(query, 'status', isStatus)) odd.push('unknownStatusFilter');
  if ([...query.keys()].some((name) => !documented.includes(name) && !pagingNames.includes(name)))
    odd.push('unknownQuery');
  return odd;
}

function isOdd(query: URLSearchParams, name: string, isValid: (text: string) => boolean): boolean {
  const texts = query.getAll(name);
  return texts.length > 1 || !texts.every(isValid);
}

const isLimit = (text: string) =>
  /^[1-9][0-9]{0,2}$/.test(text) && Number(text) >= listLimit.minimum && Number(text) <= listLimit.maximum;

/**
 * Determines from a listPets response how the real API treats a `limit` out of range: it clamps the limit, or uses the
 * default limit.
 */
function limitObservations(query: URLSearchParams, body: readonly JsonValue[], facts: ServiceFacts): Observation[] {
  const [text = '', ...more] = query.getAll('limit');
  const count = body.length;
  if (more.length > 0 || !/^-?\d{1,15}$/.test(text) || query.has('status')) return [];
  const clamped = Math.min(Math.max(Number(text), listLimit.minimum), listLimit.maximum);
  // A list with fewer pets than the limit that the API applied must contain all pets, because the API fills a list up
  // to the limit.
  const explains = (limit: number) => count <= limit && count >= Math.min(limit, facts.total);
  const possibleValues = [...(explains(clamped) ? ['clamp'] : []), ...(explains(listLimit.default) ? ['default'] : [])];
  return [observation('limitOutOfRange', possibleValues, `answered with ${pluralize(count, 'pet')}`)];
}

function filterObservation({ length }: readonly JsonValue[], facts: ServiceFacts): Observation {
  const about = 'unknownStatusFilter';
  if (length > 0) return observation(about, ['ignore'], `answered with ${pluralize(length, 'pet')}`);
  return observation(about, facts.total > 0 ? ['empty'] : ['empty', 'ignore'], 'answered with no pets');
}

/**
 * Reports a contradiction if a list response has more pets than `limit`, or a pet with another status than the query
 * asks for. The API's documentation says about these parameters: "Maximum number of animals returned", "Filters by
 * availability status".
 */
function plainObservations(query: URLSearchParams, pets: readonly Pet[]): Observation[] {
  const limit = Number(query.get('limit') ?? listLimit.default);
  const filter = query.get('status');
  if (pets.length > limit)
    return [contradiction(`answered with ${pluralize(pets.length, 'pet')}, although limit is ${limit}`)];
  const other = filter === null ? undefined : pets.find(({ status }) => status !== undefined && status !== filter);
  return other === undefined
    ? []
    : [contradiction(`a pet that is ${other.status} in a list of those that are ${filter}`)];
}

function orderObservations(pets: readonly Pet[]): Observation[] {
  const count = pets.length;
  if (count < 2) return [];
  const isSorted = (compare: Compare) =>
    pets.every((pet, index) => index === 0 || compare(pets[index - 1] as Pet, pet) <= 0);
  const isReversed = (compare: Compare) => isSorted((a, b) => compare(b, a));
  const listOrder = (possibleValues: readonly string[], shown: string) => [
    observation('listOrder', possibleValues, `${count} pets, ${shown}`, { isLikely: count < surelyOrdered }),
  ];
  const shuffled = count < likelyOrdered ? ['shuffled'] : [];
  const byId = by(({ id }) => id);
  if (isSorted(byId)) return listOrder(['id-ascending', ...shuffled], 'ids ascending');
  if (isReversed(byId)) return listOrder(['newest-first', ...shuffled], 'ids descending');
  for (const { field, note = '', compare } of orders) {
    const values = new Set(pets.map((pet) => pet[field]));
    if (count >= 6 && values.size > 2 && (isSorted(compare) || isReversed(compare)))
      return listOrder([], `sorted by ${field}${note}`);
  }
  return listOrder(['shuffled'], 'ids in no order');
}

type Compare = (a: Pet, b: Pet) => number;

const by =
  (keyOf: (pet: Pet) => Int64 | string): Compare =>
  (a, b) =>
    keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0;

/**
 * Orders of the pet list, such as by name, that the simulator cannot imitate. The scenario setting `listOrder` has no
 * value for these orders.
 */
const orders: readonly { field: NewPetField; note?: string; compare: Compare }[] = [
  { field: 'name', note: ', ignoring case', compare: (a, b) => a.name.localeCompare(b.name, 'en') },
  ...newPetFieldNames.map((field) => {
    const isInt64 = newPetFields[field].type === 'int64';
    return { field, compare: by((pet) => (isInt64 ? (pet[field] as Int64) : String(pet[field]))) };
  }),
];

const pageTexts = pageParameters.map(([name, value]) => `${name}=${value}`);
const withoutEffect = (name: string) => `${name} without effect`;

/**
 * Detects from the response for a list's second page whether the API pages its lists without Link headers. The
 * simulator cannot imitate such paging.
 */
function pageObservations(
  { status, body }: ParsedExchange,
  query: URLSearchParams,
  facts: ServiceFacts,
): Observation[] {
  const name = pageParameters.map(([parameter]) => parameter).find((parameter) => query.has(parameter));
  if (name === undefined) return [];
  const [shown] = Array.isArray(body) ? body.map((value) => String(asPet(value)?.id)) : [];
  const [first, second] = facts.lastListIds;
  if (status === 400 || (status === 200 && shown !== undefined && shown === first)) {
    facts.accepted.add(withoutEffect(name));
    return [];
  }
  if (status !== 200 || shown === undefined || shown !== second) return [];
  const description = `${name}=${query.get(name)} shows the next page, and no Link names it: none of the simulator's choices responds like this`;
  return [observation('paging', [], description)];
}

/**
 * Determines from the Link header of a list response how the real API divides lists into pages. The result is evidence
 * for the setting `paging`.
 */
function pagingObservations(
  { question, headers: { Link: link } }: ParsedExchange,
  query: URLSearchParams,
  body: readonly JsonValue[],
  facts: ServiceFacts,
): Observation[] {
  const next = /<([^>]*)>\s*;[^,]*\brel="?next"?/i.exec(link ?? '')?.[1];
  if (next === undefined) {
    if (query.has('status') || body.length >= facts.total || body.length === 0) return [];
    const description = `${body.length} of at least ${pluralize(facts.total, 'pet')}, and no Link to the rest`;
    const none = observation('paging', ['none'], description, { isLikely: true });
    if (question === undefined) return [none];
    // An API may divide lists into pages without a Link header, by query parameters alone.
    const preconditions = pageParameters.map(([name]) => withoutEffect(name));
    return [
      none,
      observation('paging', ['none'], `${description}; ${pageTexts.join(' and ')} without effect`, { preconditions }),
    ];
  }
  const names = [...new URLSearchParams(next.split('?')[1] ?? '').keys()].filter((name) => !documented.includes(name));
  const known = names.filter((name) => pagingNames.includes(name));
  const description = `a Link to the next page, with ${names.join(', ') || 'no new parameter'} in its query`;
  return [observation('paging', known.length === 1 ? known : [], description)];
}
