import type { Window } from '../rate-limits/window.js';
import type { Output, Schema } from '../validation/schema.js';
import { fields, list, oneOf, optional, pair, string } from '../validation/schemas.js';
import { between, count, whole } from '../validation/value-schemas.js';
import { latestMs } from '../values/instant.js';
import { keyText } from './key-schema.js';

export const instantMs = whole(0, latestMs);
const tenYearsMs = 3_650 * 86_400_000;
/** A duration and an instant that one led to; not whole after one such as 0.5ms. */
const spanMs = between(0, tenYearsMs);
const endMs = between(0, latestMs + tenYearsMs);
const seconds = whole(-1, Math.floor(latestMs / 1000));
/** A promise is rounded up, and may be after the end of the clock. */
const promisedSeconds = whole(-1, Math.ceil((latestMs + tenYearsMs) / 1000));

/** What a window has counted; its limit and its length are the scenario's. */
const windowState = fields({
  startSeconds: seconds,
  used: count,
  log: list(pair(seconds, count)),
}) satisfies Schema<Pick<Window, 'startSeconds' | 'used' | 'log'>, unknown>;

const stateFields = {
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
};

/** Everything about an API key that requests change, with its text and its plan. */
export const apiKeySchema = fields({
  key: keyText,
  plan: string,
  state: oneOf('active', 'revoked'),
  ...stateFields,
});

export type ExportedKey = Output<typeof apiKeySchema>;

/** The same of a window where what is empty is left out. */
const startWindow = optional(
  fields({ startSeconds: seconds, used: count, log: optional(list(pair(seconds, count)), []) }),
  { startSeconds: -1, used: 0, log: [] },
);

/** The same of a key that a scenario names, where what is as in an unused key is left out. */
export const keyStateSchema = fields({
  ...stateFields,
  minute: startWindow,
  day: startWindow,
  episodes: optional(count, 0),
  strikes: optional(count, 0),
  bans: optional(count, 0),
  bannedUntilMs: optional(endMs, 0),
  banCause: optional(oneOf('strikes', 'set'), 'set'),
  backgroundSeconds: optional(seconds, 0),
});
