import type { ClockState } from '../clock/simulated-clock.js';
import type { FaultSchema } from '../scenario/fault-schema.js';
import { apiKeySchema, instantMs } from '../scenario/key-state-schema.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { Input, Output, Schema } from '../validation/schema.js';
import { anything, boolean, fields, list, mapOf, oneOf, optional, pair, string } from '../validation/schemas.js';
import { count, whole } from '../validation/value-schemas.js';
import { latestMs } from '../values/instant.js';
import type { JsonValue } from '../values/json.js';
import type { Steps } from '../values/steps.js';
import { scenarioContent } from './input-values.js';

/**
 * Fields of the main service (the Petstore) in an exported simulator state, with their schemas. The service adds the
 * fields by TypeScript's declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceStateFields {}

/**
 * Counts of the main service's data, with their schemas, such as the number of pets. The service adds the counts by
 * TypeScript's declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceCounts {}

export type OutputOf<Schemas> = { [Name in keyof Schemas]: Output<Schemas[Name]> };

/** Format of the exported state of a simulator, for one API: the schema, and the conversion of the API's data. */
export interface StateForm {
  readonly schema: StateSchema;
  /**
   * Conversion between the data of the main service (the Petstore) and fields of the exported state. Without this
   * conversion, the data is under `services`, as for other services.
   */
  readonly data?: {
    /**
     * Converts a captured copy of the main service's data to fields of an exported state. Large fields are computed
     * later, while the state is written.
     */
    write(copy: unknown): OutputOf<ServiceStateFields>;
    /**
     * Converts the main service's fields of an exported state to a copy of the service's data, such as pets.
     * @throws {ControlError} if the fields contradict each other
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

/**
 * Creates the schema of an exported state: the scenario, and everything that requests and the clock changed.
 * @param own fields of the main service
 */
export const createStateSchema = (faultSchema: FaultSchema, own: ServiceStateFields) =>
  fields({
    version: { ...oneOf(stateVersion), labels: [`version ${stateVersion} of the format`] },
    scenario: scenarioContent,
    /**
     * Scenario whose data a reset restores. Absent if it is the current scenario; differs if that was loaded without
     * `reseed`.
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
    faults: fields({
      startMs: instantMs,
      rules: list(
        fields({
          rule: faultSchema,
          seen: count,
          applied: count,
          /**
           * Calls that a fault rule with `failTimes` has made fail, each with the number of its failures. `failTimes`
           * limits the failures per call.
           */
          failed: list(pair(string, count)),
        }),
      ),
    }),
    /** Data of services besides the main one, by service name. */
    services: optional(mapOf(string, list(anything as Schema<JsonValue>))),
  });

export type StateSchema = ReturnType<typeof createStateSchema>;

/** An exported state of a simulator. */
export interface ExportedState extends Output<StateSchema> {}
/** An exported state as a caller may write it: fields with defaults are optional. */
export interface StateInput extends Input<StateSchema> {}
export type { ExportedKey } from '../scenario/key-state-schema.js';
