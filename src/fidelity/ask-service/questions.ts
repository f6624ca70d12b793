import { fictitiousKey } from '../../traffic-files/key-names.js';
import { type Int64, isInt64 } from '../../values/int64.js';
import { pageParameters } from '../deduce/list-observations.js';
import type { Subject } from '../deduce/observation.js';
import type { ServiceFacts } from '../deduce/service-facts.js';

/** Request that `calibrate` sends to a real service. */
export interface Probe {
  readonly method: string;
  /** Path below the base URL, with the query: `/pets?limit=1`. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** API key of the request: the user's key, a made-up one, or none. */
  readonly token: 'own' | typeof fictitiousKey | 'none';
  /**
   * Id of the `Question` about the real API for which `calibrate` sends this request; `limits` for a request that tests
   * rate limits or bans.
   */
  readonly question: string;
}

/**
 * Test request to a service. Its response reveals how the service behaves in a point that the API's documentation
 * leaves open.
 */
export interface Question {
  readonly id: string;
  readonly decides: readonly Subject[];
  /** Description of the test request in the list of planned requests that `calibrate` prints. */
  readonly sends: string;
  /**
   * Whether `calibrate` sends this test request even if an earlier response has already shown the API behavior in
   * question. Set for `limit=101`, which an API may treat differently from `limit=0`.
   */
  readonly isExtra?: true;
  /**
   * Returns the request to send for this question about a service's behavior. Returns `undefined` until earlier
   * responses have shown what the request needs, such as the id of an existing pet.
   */
  probe(facts: ServiceFacts): Probe | undefined;
}

/** Value that no service knows, for names and ids in test requests. */
export const unknown = 'petstore-sim-probe';
/**
 * Origin of the CORS test request: this machine with an unusual port. An API that allows this origin probably allows
 * every origin of this machine.
 */
const unlistedOrigin = 'http://localhost:49151';
/** Category id that hardly any service has, for a request with an unknown category. */
const oddCategory = '7205759403792793600';

const read = (
  id: string,
  decides: readonly Subject[],
  target: string,
  more: Partial<Pick<Probe, 'token' | 'method' | 'headers'>> = {},
): Question => {
  const probe: Probe = { ...probeOf(id, 'GET', target), ...more };
  const { method, token } = probe;
  const sends = `${method} ${target}${token === 'own' ? '' : token === 'none' ? ', without a key' : ', with a made-up key'}`;
  return { id, decides, sends, probe: () => probe };
};

/**
 * Creates a test request for the second page of the pet list, with one pet per page.
 * @param name query parameter that may select the page, such as `page` or `offset`
 * @param value value of the query parameter that selects the second page
 */
function secondPage(name: string, value: string): Question {
  const question = read(`paging-${name}`, ['paging'], `/pets?limit=1&${name}=${value}`);
  return { ...question, probe: (facts) => (facts.lastListIds.length > 1 ? question.probe(facts) : undefined) };
}

/**
 * Requests with which `calibrate` tests the real API without changing data. The first request lists the pets, because
 * later requests need a pet's id.
 */
export const readQuestions: readonly Question[] = [
  read('listOrder', ['listOrder', 'rateLimitFields'], '/pets?limit=100'),
  read('paging', ['paging'], '/pets?limit=1'),
  read('limitOutOfRange', ['limitOutOfRange', 'errorCodes.invalid_request'], '/pets?limit=0'),
  { ...read('limitTooLarge', ['limitOutOfRange'], '/pets?limit=101'), isExtra: true },
  read('unknownStatusFilter', ['unknownStatusFilter'], `/pets?status=${unknown}`),
  read('unknownQuery', ['unknownQuery'], `/pets?${unknown}=1`),
  read('malformedPetId', ['malformedPetId', 'errorCodes.not_found'], `/pets/${unknown}`),
  {
    id: 'deprecation',
    decides: ['deprecation', 'afterRemoval'],
    sends: 'GET /pets/{petId} of a pet in the list',
    probe: ({ pets }) => {
      const [petId] = pets.keys();
      return petId === undefined ? undefined : probeOf('deprecation', 'GET', `/pets/${petId}`);
    },
  },
  // Only asked if the service answers a malformed pet id otherwise.
  read('unknownRoute', ['errorCodes.not_found'], `/${unknown}`),
  // Uses PROPFIND as the unknown method, because PROPFIND is safe (RFC 4918 section 9.1): a service that supports the
  // method changes nothing.
  read('unknownMethod', ['unknownMethod', 'errorCodes.method_not_allowed'], '/pets', { method: 'PROPFIND' }),
  read('unauthorizedHeaders', ['unauthorizedHeaders', 'errorCodes.unauthorized'], '/pets', { token: 'none' }),
  read('acceptAnyKey', ['acceptAnyKey'], '/pets', { token: fictitiousKey }),
  read('cors', ['cors'], '/pets?limit=1', { headers: { origin: unlistedOrigin } }),
  ...pageParameters.map(([name, value]) => secondPage(name, value)),
];

/** Creates a test request to the real service, with the user's API key. */
export function probeOf(question: string, method: string, target: string): Probe {
  return { method, target, headers: {}, token: 'own', question };
}

/** Request for a list of one pet. The response headers show how many requests remain. */
export const plainList = probeOf('limits', 'GET', '/pets?limit=1');

const write = (
  id: string,
  decides: readonly Subject[],
  sends: string,
  body: (categories: ReadonlySet<Int64>) => string = plainPet,
  type = 'application/json',
): Question => ({
  id,
  decides,
  sends: `POST /pets ${sends}`,
  probe: ({ categories }) => {
    if (categories.size === 0) return undefined;
    return { ...probeOf(id, 'POST', '/pets'), headers: { 'content-type': type }, body: body(categories) };
  },
});

const pet = (categoryId: string, name = unknown, more = ',"status":"sold"') =>
  `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${more}}`;

const first = (categories: ReadonlySet<Int64>) => String([...categories][0]);
const plainPet = (categories: ReadonlySet<Int64>) => pet(first(categories));

/**
 * Returns a category id that the API under test probably lacks, for a test of unknown categories. Prefers an id next to
 * a known one, with the same number of digits.
 */
function nearestUnknown(categories: ReadonlySet<Int64>): string {
  const known = [...categories].map(String);
  const adjacent = known.flatMap((each) =>
    [BigInt(each) + 1n, BigInt(each) - 1n]
      .filter((value) => value !== 0n && isInt64(value) && !known.includes(String(value)))
      .map((value) => ({ text: String(value), isAsLong: String(value).length === each.length })),
  );
  return (adjacent.find(({ isAsLong }) => isAsLong) ?? adjacent[0])?.text ?? oddCategory;
}

/**
 * Test requests to the service that may each store a pet. Most have an unusual part, such as an empty name. A rejected
 * request is repeated without the unusual part, to find the reason of the rejection.
 */
export const writeQuestions: readonly Question[] = [
  write('defaultStatus', ['defaultStatus'], 'without a status', (categories) => pet(first(categories), unknown, '')),
  write('unknownFields', ['unknownFields'], 'with a field that NewPet does not have', (categories) =>
    pet(first(categories), unknown, `,"status":"sold","${unknown}":1`),
  ),
  write('emptyName', ['emptyName'], 'with an empty name', (categories) => pet(first(categories), '')),
  write('unknownCategory', ['unknownCategory'], 'with a categoryId that no listed pet has', () => pet(oddCategory)),
  write('contentType', ['contentType'], 'as text/plain', plainPet, 'text/plain'),
  // Control requests, each a rejected request without its unusual part, such as an empty name. If the service rejects
  // the control request too, the unusual part may not be the cause.
  write('plainPet', ['unknownFields', 'emptyName', 'unknownCategory', 'contentType'], 'with status sold'),
  write('nearestCategory', ['unknownCategory'], 'with an unknown categoryId next to a listed one', (categories) =>
    pet(nearestUnknown(categories)),
  ),
];
