import { petStatuses } from '../contract/document.js';
import type { Window } from '../limits/window.js';
import { faultSchema } from '../scenario/fault-schema.js';
import { keyText } from '../scenario/key-schema.js';
import { type Output, refine, type Schema, transform } from '../schema/schema.js';
import { boolean, fields, kind, list, oneOf, optional, pair, string } from '../schema/schemas.js';
import { between, count, isJson, text, whole } from '../schema/value-schemas.js';
import type { ClockState } from '../state/clock.js';
import type { Pet } from '../state/pet.js';
import { latestMs } from '../values/instant.js';
import { type Int64, isInt64, normalizeInteger } from '../values/int64.js';
import type { JsonObject } from '../values/json.js';
import { isMap } from '../values/plain-data.js';
import { scenarioContent } from './input-values.js';

const instantMs = whole(0, latestMs);
const tenYearsMs = 3_650 * 86_400_000;
/** A duration and an instant that one led to; not whole after one such as 0.5ms. */
const spanMs = between(0, tenYearsMs);
const endMs = between(0, latestMs + tenYearsMs);
const seconds = whole(-1, Math.floor(latestMs / 1000));
/** A promise is rounded up, and may be after the end of the clock. */
const promisedSeconds = whole(-1, Math.ceil((latestMs + tenYearsMs) / 1000));

/** Exact; not as text, so that what is exported is what is imported. */
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

/** What a window has counted; its limit and its length are the scenario's. */
const windowState = fields({
  startSeconds: seconds,
  used: count,
  log: list(pair(seconds, count)),
}) satisfies Schema<Pick<Window, 'startSeconds' | 'used' | 'log'>, unknown>;

const apiKey = fields({
  key: keyText,
  plan: string,
  state: oneOf('active', 'revoked'),
  expiresAtMs: optional(endMs),
  minute: windowState,
  day: windowState,
  preset: optional(
    fields({
      usage: fields({ minute: count, day: count }),
      bannedForMs: spanMs,
      expiresInMs: optional(spanMs),
      clockMovedMs: whole(-latestMs, latestMs),
    }),
  ),
  episode: optional(fields({ firstRefusalMs: instantMs, promisedAtSeconds: promisedSeconds })),
  episodes: count,
  strikes: count,
  bans: count,
  bannedFromMs: optional(instantMs, 0),
  bannedUntilMs: endMs,
  banCause: optional(oneOf('strikes', 'set'), 'strikes'),
  backgroundSeconds: seconds,
});

const appliedRule = fields({
  rule: faultSchema,
  seen: count,
  applied: count,
  /** With `failTimes`: each call and how often it has failed. */
  failed: list(pair(string, count)),
});

const clock = fields({
  nowMs: instantMs,
  frozen: boolean,
  movedMs: whole(-latestMs, latestMs),
}) satisfies Schema<ClockState, unknown>;

/** The format; raised when one that was exported before can no longer be read. */
export const stateVersion = 1;

/** Everything that requests and the clock can change, with the scenario: what `exportState` gives. */
export const stateSchema = fields({
  version: { ...oneOf(stateVersion), labels: [`version ${stateVersion} of the format`] },
  scenario: scenarioContent,
  clock,
  pets: list(pet),
  nextId: int64,
  keys: list(apiKey),
  /** Keys that requests made up under `acceptAnyKey`. */
  unlistedKeys: refine(list(apiKey), ({ length }) => length <= 10_000, 'at most 10,000 keys', { maxItems: 10_000 }),
  faults: fields({ startMs: instantMs, rules: list(appliedRule) }),
});

export type ExportedState = Output<typeof stateSchema>;
export type ExportedKey = Output<typeof apiKey>;
