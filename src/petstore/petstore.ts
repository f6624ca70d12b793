import type { ApiCall } from '../requests/api-call.js';
import { gone, methodNotAllowed, notFound } from '../requests/api-error.js';
import type { Outcome } from '../requests/outcome.js';
import { createMatch, type Match, refusedMatch } from '../requests/service.js';
import type { MainService } from '../simulator/simulator-state.js';
import { parseInt64 } from '../values/int64.js';
import { createPet } from './create-pet.js';
import { basePath, getPetRemovedAtMs, type OperationName, operationNames } from './document.js';
import { getPet } from './get-pet.js';
import { listPets } from './list-pets.js';
import type { Operation } from './operation.js';
import { PetStore } from './pet-store.js';
import { createPets } from './pets.js';
import { scenarioRules } from './scenario.js';
import type { AssumptionId, Settings } from './settings.js';

const operations: Record<OperationName, Operation> = { listPets, createPet, getPet };

const listMatch = createMatch('listPets');
const petsMethods = new Map([
  ['GET', listMatch],
  ['HEAD', listMatch],
  ['POST', createMatch('createPet', true)],
]);
const petPath = /^\/pets\/([^/]+)$/;

/** The simulated Petstore API. Test code reads and changes its pets by `sim.pets`. */
export const petstore: MainService<PetStore> = {
  name: 'petstore',
  basePath,
  operations: operationNames,
  methods: ['GET', 'POST'],
  // Marks getPet as deprecated. The API's documentation: "Deprecated: scheduled for removal on 5 December 2030. The
  // replacement is GET /pets with the status filter." The judge reports requests for deprecated operations.
  deprecations: {
    getPet: {
      target: 'GET /pets/{petId}',
      removedAtMs: getPetRemovedAtMs,
      use: 'GET /pets with the status filter',
    },
  },
  createData: ({ pets, settings, seed, idStart }) => new PetStore(pets, { order: settings.listOrder, seed, idStart }),
  rules: scenarioRules,
  simulatorFields: (data, isLogged) => ({ pets: createPets(data, isLogged) }),
  find({ method, path, baseUrl }, { settings }, nowMs) {
    // Compares paths as sent, without decoding or removing a trailing slash. HEAD runs the operation of GET, because
    // adapters omit the body of a HEAD response.
    if (path === '/pets')
      return petsMethods.get(method) ?? refusedMatch(unknownMethod(method, ['GET', 'POST'], settings));
    const petId = petPath.exec(path)?.[1];
    if (petId === undefined) return refusedMatch(unknownRoute('unknownRoute'));
    const headers = settings.deprecation === 'headers' ? deprecationHeaders(baseUrl) : undefined;
    let refusal: Match['refusal'];
    if (nowMs >= getPetRemovedAtMs && settings.afterRemoval !== 'keep') {
      const refuse = settings.afterRemoval === 'gone' ? gone : notFound;
      const message = 'getPet was removed on 5 December 2030; use GET /pets with the status filter.';
      refusal = refuse(message, 'afterRemoval');
    } else if (method !== 'GET' && method !== 'HEAD') return refusedMatch(unknownMethod(method, ['GET'], settings));
    return createMatch('getPet', false, refusal, { petId }, headers);
  },
  run(call, { operation, params }, { data: pets, scenario: { categories, settings } }): Outcome {
    return operations[operation as OperationName](call, { pets, categories, settings }, params?.petId ?? '');
  },
  conditions({ query }, { operation, params }) {
    return {
      status: operation === 'listPets' ? new URLSearchParams(query).get('status') : null,
      petId: params && parseInt64(params.petId ?? ''),
    };
  },
};

/**
 * Creates the error for an HTTP method that the path does not support. The header `Allow` lists only documented
 * methods.
 */
const unknownMethod = (method: string, allowed: string[], { unknownMethod }: Settings) =>
  unknownMethod === 'not-found' ? unknownRoute('unknownMethod') : methodNotAllowed(method, allowed);

const unknownRoute = (assumption: AssumptionId) =>
  notFound('There is no such path; the API has GET /pets, POST /pets and GET /pets/{petId}.', assumption);

/**
 * Headers of the deprecated getPet: "Deprecated: scheduled for removal on 5 December 2030. The replacement is GET /pets
 * with the status filter." The start of the deprecation is not documented, so `Deprecation` (RFC 9745) is the Unix time
 * 0.
 */
const deprecationHeaders = (baseUrl: ApiCall['baseUrl']): Record<string, string> => ({
  Deprecation: '@0',
  Sunset: sunset,
  Link: `<${baseUrl}/pets>; rel="successor-version"`,
});

const sunset = new Date(getPetRemovedAtMs).toUTCString();
