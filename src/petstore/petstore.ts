import type { ApiCall } from '../requests/api-call.js';
import { gone, notFound } from '../requests/api-error.js';
import type { Outcome } from '../requests/outcome.js';
import { createMatch, type Match, type OperationRow } from '../requests/service.js';
import type { MainService } from '../simulator/simulator-state.js';
import { formatDay } from '../values/format-day.js';
import { createPet } from './create-pet.js';
import { basePath } from './document.js';
import { getPet } from './get-pet.js';
import { listPets } from './list-pets.js';
import type { Operation } from './operation.js';
import { type OperationName, operationTable } from './operations.js';
import { PetStore } from './pet-store.js';
import { createPets } from './pets.js';
import { scenarioRules } from './scenario.js';
import type { Settings } from './settings.js';

const runs: Record<OperationName, Operation> = { listPets, createPet, getPet };
const rowOf = ({ operation }: Match): OperationRow => operationTable.rows[operation as OperationName];

/** The simulated Petstore API. Test code reads and changes its pets by `sim.pets`. */
export const petstore: MainService<PetStore> = {
  name: 'petstore',
  basePath,
  ...operationTable,
  createData: ({ pets, settings, seed, idStart }) => new PetStore(pets, { order: settings.listOrder, seed, idStart }),
  rules: scenarioRules,
  simulatorFields: (data, isLogged) => ({ pets: createPets(data, isLogged) }),
  find(call, { settings }, nowMs) {
    const found = operationTable.find(call);
    // A removed operation with GET responds to every method that no other operation of its path has.
    const match = found ?? operationTable.find({ method: 'GET', path: call.path });
    const deprecation = match && rowOf(match).deprecation;
    if (match === undefined || deprecation === undefined) return found;
    const isRemoved = nowMs >= deprecation.removedAtMs && settings.afterRemoval !== 'keep';
    if (found === undefined && !isRemoved) return undefined;
    const refusal = isRemoved ? removed(match, deprecation, settings) : undefined;
    const headers = settings.deprecation === 'headers' ? deprecationHeaders(match, call.baseUrl) : undefined;
    if (refusal === undefined && headers === undefined) return match;
    return createMatch(match.operation, match.isWrite, refusal, match.params, headers);
  },
  run(call, { operation, params }, { data: pets, scenario: { categories, settings } }): Outcome {
    return runs[operation as OperationName](call, { pets, categories, settings }, params?.petId ?? '');
  },
};

type Removal = NonNullable<OperationRow['deprecation']>;

const removed = ({ operation }: Match, { removedAtMs, use }: Removal, { afterRemoval }: Settings) =>
  (afterRemoval === 'gone' ? gone : notFound)(
    `${operation} was removed on ${formatDay(removedAtMs)}; use ${use}.`,
    'afterRemoval',
  );

/**
 * Headers of a deprecated operation. The start of the deprecation of getPet is not documented, so `Deprecation` (RFC
 * 9745) is the Unix time 0. The API's documentation: "The replacement is GET /pets with the status filter."
 */
const deprecationHeaders = ({ operation }: Match, baseUrl: ApiCall['baseUrl']): Record<string, string> => ({
  Deprecation: '@0',
  Sunset: sunsets[operation as OperationName] as string,
  Link: `<${baseUrl}/pets>; rel="successor-version"`,
});

const sunsets = Object.fromEntries(
  Object.entries<OperationRow>(operationTable.rows).map(([name, { deprecation }]) => [
    name,
    deprecation && new Date(deprecation.removedAtMs).toUTCString(),
  ]),
);
