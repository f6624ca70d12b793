import type { OwnHandler } from '../in-process/fetch.js';
import type { TableService } from '../requests/operation-table.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { ResolveOptions } from '../scenario/scenario-rules.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { SimulatedService } from './simulator-state.js';

/** Options of `createSimulator`. @typeParam Sim type of a simulator; a type parameter avoids a circular import */
export interface OptionsOf<Sim> extends ResolveOptions {
  /** Initial state and behavior of the simulator. Omitted fields come from the default scenario. */
  scenario?: Scenario;
  /** Scenarios to load by name, or a function that returns the scenarios on first use. */
  scenarios?: Readonly<Record<string, Scenario>> | (() => Readonly<Record<string, Scenario>>);
  /**
   * Additional APIs that the simulator serves, each with a table of operations or with names and `find`. These services
   * take precedence over the main service, the Petstore.
   */
  services?: readonly (SimulatedService | TableService<unknown, ResolvedScenario>)[];
  /**
   * Creates the user's msw handlers, which take precedence over the simulated API. Called for each simulator, including
   * forks and sandboxes, and again after each reset.
   */
  handlers?: (sim: Sim) => readonly OwnHandler[];
  /**
   * Names of custom operations, for use in scenarios. The operation names of custom msw routes (created by `guarded`)
   * are added automatically.
   */
  operations?: readonly string[];
  /**
   * Called with the cause of every response with status 500 and with every error thrown by a listener. Default:
   * `console.error`.
   */
  onError?: (error: unknown) => void;
  /**
   * Called with a warning, at most once, if a client waits in vain because the simulator's clock is frozen. Default:
   * `console.warn`.
   */
  onWarning?: (message: string) => void;
}

/** Names of all simulator options, to detect unknown names. */
export const simulatorOptions: Record<
  Exclude<keyof OptionsOf<never>, Exclude<keyof ResolveOptions, 'readStart'>>,
  true
> = {
  scenario: true,
  scenarios: true,
  readStart: true,
  services: true,
  operations: true,
  handlers: true,
  onError: true,
  onWarning: true,
};
