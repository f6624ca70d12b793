import type { ClockState } from '../clock/simulated-clock.js';
import { petStatuses } from '../petstore/document.js';
import type { Pet } from '../petstore/pet.js';
import { faultSchema } from '../petstore/scenario-schema.js';
import { apiKeySchema, instantMs } from '../scenario/key-state-schema.js';
import { type Input, type Output, type Schema, transform } from '../validation/schema.js';
import { anything, boolean, fields, kind, list, mapOf, oneOf, optional, pair, string } from '../validation/schemas.js';
import { count, isJson, text, whole } from '../validation/value-schemas.js';
import { latestMs } from '../values/instant.js';
import { type Int64, isInt64, normalizeInteger } from '../values/int64.js';
import type { JsonObject, JsonValue } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { scenarioContent } from './input-values.js';

/** Schema of an exact int64 as a JSON number. Exports and imports use the same form. */
const int64 = transform(kind<Int64>('a whole number within int64', isInt64, { type: 'integer' }), normalizeInteger);

const documented = ['id', 'name', 'categoryId', 'status'];
const extra = kind<JsonObject>(
  'a map of JSON values, without a documented field',
  (value) => isMap(value) && isJson(value) && !documented.some((field) => Object.hasOwn(value, field)),
  { type: 'object' },
);

const pet = fields({
  id: int64,
  name: text,
  categoryId: int64,
  status: optional(oneOf(...petStatuses)),
  extra: optional(extra),
}) satisfies Schema<Pet, unknown>;

const appliedRule = fields({
  rule: faultSchema,
  seen: count,
  applied: count,
  /** Calls that a rule with `failTimes` has made fail, each with its number of failures. */
  failed: list(pair(string, count)),
});

const clock = fields({
  nowMs: instantMs,
  frozen: boolean,
  movedMs: whole(-latestMs, latestMs),
}) satisfies Schema<ClockState, unknown>;

/** Version of the state format. A new value marks exports that older versions cannot read. */
export const stateVersion = 1;

/** Schema of an exported state: the scenario, and everything that requests and the clock changed. */
export const stateSchema = fields({
  version: { ...oneOf(stateVersion), labels: [`version ${stateVersion} of the format`] },
  scenario: scenarioContent,
  /**
   * Scenario whose data a reset restores. Absent if it is the current scenario; differs if that was loaded without
   * `reseed`.
   */
  dataFrom: optional(scenarioContent),
  clock,
  pets: list(pet),
  nextId: int64,
  keys: list(apiKeySchema),
  /** Keys that the scenario lacks, which requests introduced under `acceptAnyKey`. */
  unlistedKeys: {
    ...list(apiKeySchema),
    labels: ['a list of at most 10,000 keys'],
    accepts: (value: unknown) => Array.isArray(value) && value.length <= 10_000,
    json: { maxItems: 10_000 },
  },
  faults: fields({ startMs: instantMs, rules: list(appliedRule) }),
  /** Data of services besides the Petstore, by service name. */
  services: optional(mapOf(string, list(anything as Schema<JsonValue>))),
});

/** An exported state of a simulator. */
export interface ExportedState extends Output<typeof stateSchema> {}
/** An exported state as a caller may write it: fields with defaults are optional. */
export interface StateInput extends Input<typeof stateSchema> {}
export type { ExportedKey } from '../scenario/key-state-schema.js';
