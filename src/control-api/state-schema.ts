import type { ClockState } from '../clock/simulated-clock.js';
import type { FaultSchema } from '../scenario/fault-schema.js';
import { apiKeySchema, instantMs } from '../scenario/key-state-schema.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { asWritten, type Input, type Output, type Schema } from '../validation/schema.js';
import { anything, boolean, fields, list, mapOf, oneOf, optional, pair, string } from '../validation/schemas.js';
import { count, whole } from '../validation/value-schemas.js';
import { latestMs } from '../values/instant.js';
import type { JsonValue } from '../values/json.js';
import type { Steps } from '../values/steps.js';
import { scenarioContent } from './input-values.js';

/**
 * Fields of an exported simulator state that contain the data of the simulated API, such as pets, with their schemas.
 * The Petstore's code adds the fields by TypeScript's declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceStateFields {}

/**
 * Schemas of the counts of the simulated API's data, by name, such as the number of pets. Declared empty: the module of
 * an API adds its counts by TypeScript's declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceCounts {}

export type OutputOf<Schemas> = { [Name in keyof Schemas]: Output<Schemas[Name]> };

/**
 * Format in which the state of a simulator is exported: the schema, and functions that convert the data of the main
 * service (the simulated API) to fields of the exported state and back.
 */
export interface StateForm {
  readonly schema: StateSchema;
  /**
   * Functions that convert the simulated API's data to and from fields of an exported state. Without these functions,
   * the state's field `services` contains the data.
   */
  readonly data?: {
    /**
     * Converts a copy of the main API's data (for the Petstore, its pets) to fields of an exported state. Large fields
     * are computed later, while the state is written.
     */
    write(copy: unknown): OutputOf<ServiceStateFields>;
    /**
     * Reads the data of the main API (the Petstore), such as pets, from an exported state.
     * @throws {ControlError} if fields of the state contradict each other
     */
    read(state: ExportedState): Steps<unknown>;
  };
  /**
   * Checks whether a running server can load an imported state, if the scenario of the state differs from the current
   * one. Default: accepts any scenario.
   * @throws {ControlError} for a scenario that cannot be loaded
   */
  check?(scenario: Scenario, state: ExportedState): void;
}

const clock = fields({
  nowMs: instantMs,
  frozen: boolean,
  movedMs: whole(-latestMs, latestMs),
}) satisfies Schema<ClockState, unknown>;

/** Version of the state format. A new value marks exports that older versions cannot read. */
export const stateVersion = 1;

const faultState = (faultSchema: FaultSchema) =>
  fields({
    startMs: instantMs,
    rules: list(
      fields({
        rule: asWritten(faultSchema),
        seen: count,
        applied: count,
        /**
         * Fingerprints of the requests that a fault rule with `failTimes` has made fail, each with its number of
         * failures. The rule no longer affects a request that has failed `failTimes` times.
         */
        failed: list(pair(string, count)),
      }),
    ),
  });

/**
 * Creates the schema of an exported simulator state: the scenario, and all changes since its start by requests and by
 * the clock.
 * @param own schemas of the fields with the data of the main API (the Petstore), such as pets
 */
export const createStateSchema = (faultSchema: FaultSchema, own: ServiceStateFields) =>
  fields({
    version: { ...oneOf(stateVersion), labels: [`version ${stateVersion} of the format`] },
    scenario: scenarioContent,
    /**
     * Scenario whose initial data, such as pets, a reset restores. Absent if the current scenario's data is restored.
     * Present if the current scenario was loaded without `reseed`, which leaves the data unchanged.
     */
    dataFrom: optional(scenarioContent),
    clock,
    ...own,
    keys: list(apiKeySchema),
    /** Keys that the scenario lacks, which requests introduced under `acceptAnyKey`. */
    unlistedKeys: {
      ...list(apiKeySchema),
      labels: ['a list of at most 10,000 keys'],
      accepts: (value: unknown) => Array.isArray(value) && value.length <= 10_000,
      json: { maxItems: 10_000 },
    },
    faults: faultState(faultSchema),
    /** Data of the simulator's additional APIs, without its main API, by API name. */
    services: optional(mapOf(string, list(anything as Schema<JsonValue>))),
  });

/** Returns the schema of an exported state for the fault rules of one simulator. */
export const withFaultSchema = ({ entries }: StateSchema, faultSchema: FaultSchema): StateSchema =>
  fields({ ...entries, faults: faultState(faultSchema) }) as unknown as StateSchema;

export type StateSchema = ReturnType<typeof createStateSchema>;

/** An exported state of a simulator. */
export interface ExportedState extends Output<StateSchema> {}
/** An exported state as a caller may write it: fields with defaults are optional. */
export interface StateInput extends Input<StateSchema> {}
export type { ExportedKey } from '../scenario/key-state-schema.js';
