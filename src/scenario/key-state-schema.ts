import type { Window } from '../rate-limits/window.js';
import type { Output, Schema } from '../validation/schema.js';
import { fields, list, mapOf, oneOf, optional, pair, string } from '../validation/schemas.js';
import { between, count, whole } from '../validation/value-schemas.js';
import { latestMs } from '../values/instant.js';
import { forDocumented } from '../values/window-fields.js';
import { keyText } from './key-schema.js';
import { perWindow } from './per-window.js';

export const instantMs = whole(0, latestMs);
const tenYearsMs = 3_650 * 86_400_000;
/**
 * Schema of a duration in the exported state of an API key, with fractions. A scenario allows durations such as
 * `0.5ms`.
 */
const spanMs = between(0, tenYearsMs);
const endMs = between(0, latestMs + tenYearsMs);
const seconds = whole(-1, Math.floor(latestMs / 1000));
/** Schema of a retry time that a 429 response stated, rounded up. The maximum of the schema is rounded up too. */
const promisedSeconds = whole(-1, Math.ceil((latestMs + tenYearsMs) / 1000));

/** Schema of a rate-limit window's usage in an exported key. The window's limit and length are in the scenario. */
const windowState = fields({
  startSeconds: seconds,
  used: count,
  log: list(pair(seconds, count)),
}) satisfies Schema<Pick<Window, 'startSeconds' | 'used' | 'log'>, unknown>;

const stateFields = {
  expiresAtMs: optional(endMs),
  ...forDocumented(() => optional(windowState)),
  windows: optional(mapOf(string, windowState)),
  preset: optional(
    fields({
      usage: perWindow(count),
      bannedForMs: spanMs,
      expiresInMs: optional(spanMs),
      clockMovedMs: whole(-latestMs, latestMs),
    }),
  ),
  episode: optional(
    fields({
      firstRefusalMs: instantMs,
      promisedAtSeconds: promisedSeconds,
      promises: optional(list(pair(count, promisedSeconds))),
    }),
  ),
  episodes: count,
  strikes: count,
  bans: count,
  bannedFromMs: optional(instantMs, 0),
  bannedUntilMs: endMs,
  banCause: optional(oneOf('strikes', 'set'), 'strikes'),
  backgroundSeconds: seconds,
};

/** Schema of an API key's exported state, with token and plan. */
export const apiKeySchema = fields({
  key: keyText,
  plan: string,
  state: oneOf('active', 'revoked'),
  ...stateFields,
});

export type ExportedKey = Output<typeof apiKeySchema>;
export type WindowState = Output<typeof windowState>;

/** Schema of a rate-limit window's usage in a scenario, where the list of request times may be absent. */
const startWindow = fields({ startSeconds: seconds, used: count, log: optional(list(pair(seconds, count)), []) });

/**
 * Schema of the exported state of a key that the scenario defines. Most fields are optional and default to an unused
 * key.
 */
export const keyStateSchema = fields({
  ...stateFields,
  ...forDocumented(() => optional(startWindow)),
  windows: optional(mapOf(string, startWindow)),
  episodes: optional(count, 0),
  strikes: optional(count, 0),
  bans: optional(count, 0),
  bannedUntilMs: optional(endMs, 0),
  banCause: optional(oneOf('strikes', 'set'), 'set'),
  backgroundSeconds: optional(seconds, 0),
});
