import type { Control, ServerControl } from '../control-api/control.js';
import { invalid } from '../control-api/control-error.js';
import { createServedService } from '../control-api/control-operations.js';
import { type ControlOptions, createControlOf } from '../control-api/create-control.js';
import { scenarioContent } from '../control-api/input-values.js';
import type { Simulator } from '../simulator/simulator.js';
import { refine } from '../validation/schema.js';
import { count } from '../validation/value-schemas.js';
import { formatInteger } from '../values/format-integer.js';
import { assumptions } from './assumptions.js';
import { petState } from './exported-pets.js';
import { describeService } from './openapi.js';
import { petOperations } from './pet-operations.js';
import type { PetStoreState } from './pet-store.js';
import { petstore } from './petstore.js';
import { generatedPets, maximumPetsWhileServing } from './resolve-pets.js';

/** States the maximum number of generated pets, for an error message. */
const maximumGenerated = (most: number) =>
  `at most ${formatInteger(most)} generated pets; start the server with a scenario that has more`;

/** The simulated Petstore API, together with the control operations on its simulator. */
export const servedPetstore = /* @__PURE__ */ createServedService({
  main: petstore,
  title: 'the Petstore service',
  describe: describeService,
  assumptions,
  group: { name: 'pets', description: 'The stored pets.', operations: petOperations },
  state: {
    ...petState,
    check(scenario, { pets }) {
      // Accepts a scenario with as many generated pets as the loaded state has pets, even above the usual maximum. The
      // server that exported the state could hold as many pets.
      const most = Math.max(maximumPetsWhileServing, pets.length);
      if (generatedPets(scenario) > most) throw invalid(`scenario: expected ${maximumGenerated(most)}`);
    },
  },
  counts: { schemas: { pets: count }, of: (copy) => ({ pets: (copy as PetStoreState).pets.length }) },
  loadable: refine(
    scenarioContent,
    (scenario) => !(generatedPets(scenario) > maximumPetsWhileServing),
    maximumGenerated(maximumPetsWhileServing),
  ),
});

/** Control operations, such as `reset`, on one simulator of the Petstore, by name. */
export const { operations: controlOperations, sandboxOperations } = servedPetstore;

/**
 * Creates the control operations on a simulator in this process, the same as `/__sim` over HTTP. Each function has one object
 * as its input and throws a `ControlError` with status, code and message.
 * @example createControl(sim).exhaustKey({ key: 'free-key' });
 */
export function createControl(sim: Simulator): Control;
/**
 * Creates the control operations on a server in another process, with its sandboxes. Every function returns a promise.
 * @param url the `controlUrl` or the `baseUrl` of a server or of a sandbox, or the origin of a server
 * @throws {TypeError} if `url` is not an absolute http or https URL
 * @example const control = createControl('http://127.0.0.1:4010/__sim');
 * await control.changeClock({ advance: '61s' });
 * await control.sandbox('mine').getVerdict();
 */
export function createControl(url: string | URL, options?: ControlOptions): ServerControl;
export function createControl(of: Simulator | string | URL, options?: ControlOptions): Control | ServerControl {
  return createControlOf(servedPetstore, of, options);
}
