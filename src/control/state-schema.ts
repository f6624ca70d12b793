import * as v from 'valibot';
import { petStatuses } from '../interface/contract.js';
import { type Int64, isInt64, normalizeInteger } from '../interface/int64.js';
import type { JsonObject, JsonValue } from '../interface/json.js';
import type { Window } from '../policies/windows.js';
import { faultSchema } from '../scenario/fault-schema.js';
import { keyText } from '../scenario/schema.js';
import { count, fields, text } from '../scenario/values.js';
import type { ClockState } from '../state/clock.js';
import type { Pet } from '../state/pets.js';
import { scenarioContent } from './input-values.js';

/** The end of the year 9999: past it, an instant cannot be written. */
const latestMs = 253_402_300_799_999;
const between = (least: number, most: number) =>
  v.pipe(
    v.number(),
    v.check((value) => value >= least && value <= most, `expected a number from ${least} to ${most}`),
  );
const instantMs = between(0, latestMs);
const span = between(0, latestMs);
const seconds = between(-1, latestMs / 1000);

/** Exact; not as text, so that what is exported is what is imported. */
const int64 = v.pipe(v.custom<Int64>(isInt64, 'expected a whole number within int64'), v.transform(normalizeInteger));

const documented = ['id', 'name', 'categoryId', 'status'];
const extra = v.custom<JsonObject>(
  (value) => isJson(value) && !Array.isArray(value) && !documented.some((field) => field in (value as object)),
  'expected a map of JSON values, without a documented field',
);

function isJson(value: unknown): value is JsonValue {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isJson);
  return value === null || ['string', 'boolean', 'bigint'].includes(typeof value);
}

const pet = fields({
  id: int64,
  name: text,
  categoryId: int64,
  status: v.optional(v.picklist(petStatuses)),
  extra: v.optional(extra),
}) satisfies v.GenericSchema<unknown, Pet>;

/** What a window has counted; its limit and its length are the scenario's. */
const windowState = fields({
  startSeconds: seconds,
  used: between(0, Number.MAX_SAFE_INTEGER),
  log: v.array(v.tuple([seconds, count])),
}) satisfies v.GenericSchema<unknown, Pick<Window, 'startSeconds' | 'used' | 'log'>>;

const apiKey = fields({
  key: keyText,
  plan: v.string(),
  state: v.picklist(['active', 'revoked']),
  expiresAtMs: v.optional(instantMs),
  minute: windowState,
  day: windowState,
  preset: v.optional(
    fields({
      usage: fields({ minute: count, day: count }),
      bannedForMs: span,
      expiresInMs: v.optional(span),
      clockMovedMs: between(-latestMs, latestMs),
    }),
  ),
  episode: v.optional(fields({ firstRefusalMs: instantMs, promisedAtSeconds: seconds })),
  episodes: count,
  strikes: count,
  bans: count,
  bannedUntilMs: instantMs,
  backgroundSeconds: seconds,
});

const appliedRule = fields({
  rule: faultSchema,
  seen: count,
  applied: count,
  /** With `failTimes`: each call and how often it has failed. */
  failed: v.array(v.tuple([v.string(), count])),
});

const clock = fields({
  nowMs: instantMs,
  frozen: v.boolean(),
  movedMs: between(-latestMs, latestMs),
}) satisfies v.GenericSchema<unknown, ClockState>;

/** The format; raised when one that was exported before can no longer be read. */
export const stateVersion = 1;

/** Everything that requests and the clock can change, with the scenario: what `exportState` gives. */
export const stateSchema = fields({
  version: v.literal(stateVersion, `expected version ${stateVersion} of the format`),
  scenario: scenarioContent,
  clock,
  pets: v.array(pet),
  nextId: int64,
  keys: v.array(apiKey),
  /** Keys that requests made up under `acceptAnyKey`. */
  unlistedKeys: v.pipe(v.array(apiKey), v.maxLength(10_000, 'expected at most 10,000 keys')),
  faults: fields({ startMs: instantMs, rules: v.array(appliedRule) }),
});

export type ExportedState = v.InferOutput<typeof stateSchema>;
export type ExportedKey = v.InferOutput<typeof apiKey>;
