import type { OwnHandler } from '../in-process/fetch.js';
import type { ReadStart } from '../scenario/read-start.js';
import type { GeneratePets } from '../scenario/resolve-pets.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { SimulatedService } from './simulator-state.js';

/** Options of `createSimulator`. @typeParam Sim the type of a simulator, which imports this file */
export interface OptionsOf<Sim> {
  /** What the simulator starts with and does. What it leaves out comes from the default scenario. */
  scenario?: Scenario;
  /** Scenarios that can be loaded by their names, or a function that gives them when they are first asked for. */
  scenarios?: Readonly<Record<string, Scenario>> | (() => Readonly<Record<string, Scenario>>);
  /** Needed only for a scenario with `pets.generate`: `generatePets` of `petstore-sim/seed`. */
  generatePets?: GeneratePets;
  /** Needed only for a scenario with `state`: `readStart` of `petstore-sim/control`. */
  readStart?: ReadStart;
  /** APIs to serve beside the Petstore. A service is asked before the Petstore. */
  services?: readonly SimulatedService[];
  /**
   * Makes msw handlers of your own, which take precedence over the API in `sim.fetch`, in the handlers of msw, and on the
   * server. Called for the simulator, for each fork or sandbox, and again after each reset.
   */
  handlers?: (sim: Sim) => readonly OwnHandler[];
  /** Names of operations of your own, which the scenario may use. `guarded` adds those that it is given. */
  operations?: readonly string[];
  /** Called with the cause of every answer with status 500, and of every listener that throws. Default: `console.error`. */
  onError?: (error: unknown) => void;
  /** Called, at most once, with why a client waits in vain for a frozen clock. Default: `console.warn`. */
  onWarning?: (message: string) => void;
}

/** Their names, to know others by. */
export const simulatorOptions: Record<keyof OptionsOf<never>, true> = {
  scenario: true,
  scenarios: true,
  generatePets: true,
  readStart: true,
  services: true,
  operations: true,
  handlers: true,
  onError: true,
  onWarning: true,
};
