import { keyFields, keyText } from '../scenario/key-schema.js';
import type { KeyInfo, WindowInfo } from '../simulator/keys.js';
import { displayKey } from '../simulator/redact.js';
import type { Simulator } from '../simulator/simulator.js';
import { refine, type Schema, transform } from '../validation/schema.js';
import { fields, list, mapOf, oneOf, optional, string } from '../validation/schemas.js';
import { count, durationInput } from '../validation/value-schemas.js';
import { parseDuration } from '../values/duration.js';
import { keyId } from '../values/mask-key.js';
import { forDocumented, windowsOf } from '../values/window-fields.js';
import { notFound } from './control-error.js';
import { operation } from './control-operation.js';
import { findKeyText } from './find-key-text.js';
import { described, instantText, keyReference, wholeNumber } from './input-values.js';

/** Limit of ten years. A much longer ban would end beyond the range of `Date`. */
const longestBanMs = 3_650 * 86_400_000;
/** Length of a ban. Rejects a number of 1 to 999 milliseconds, because seconds were probably meant. */
const banDuration = refine(
  transform(durationInput, (value) => {
    const ms = parseDuration(value);
    if (typeof value !== 'number' || ms === 0 || ms >= 1_000) return ms;
    throw new RangeError(
      `expected a duration such as "90s", got ${value}, which is ${value} ms; did you mean "${value}s"?`,
    );
  }),
  (ms) => ms <= longestBanMs,
  'at most 3650d',
);

const windowInfo = fields({
  limit: described(count, 'Number of requests that the window allows.'),
  remaining: described(count, 'Number of requests left before the reset.'),
  resetAtSeconds: described(count, 'Reset time of the window, in Unix seconds.'),
});

export const keyInfoSchema = fields({
  id: described(string, 'Id of the key, usable instead of the key in every operation.'),
  key: described(string, 'Key: in full if the scenario contains it, otherwise only its end.'),
  plan: string,
  state: oneOf('active', 'revoked', 'expired', 'banned'),
  ...forDocumented(() => optional(described(windowInfo, 'Absent if the plan has no limit for the window.'))),
  windows: optional(described(mapOf(string, windowInfo), 'Windows that the scenario adds, by name.')),
  preset: optional(
    described(oneOf(true), 'Present until the first request, with which usage, ban and expiry of the scenario begin.'),
  ),
  strikes: described(count, 'Number of requests during a required wait; several in a row ban the key.'),
  bannedUntil: optional(described(instantText, 'End of the ban; absent without one.')),
  servedAgain: optional(
    described(
      fields({
        at: described(instantText, 'Time from which requests are accepted again.'),
        window: optional(described(string, 'Used-up window that resets then, after any ban.')),
      }),
      'When the key is served again; absent for a key that is served now, revoked or expired.',
    ),
  ),
}) as unknown as Schema<KeyInfo>;

/** Describes a key for the control API. Masks a key that the scenario does not contain. */
function shownKey(sim: Simulator, key: string): KeyInfo {
  const info = sim.keys.get(key);
  return { ...info, key: displayKey(sim, key) };
}

/**
 * Finds a key, including a key that a request introduced under `acceptAnyKey`.
 * @param reference the key itself or its id
 * @throws {ControlError} 404
 */
function findKey(sim: Simulator, reference: string): string {
  const found = findKeyText(sim, reference);
  if (found !== undefined) return found;
  throw notFound('Unknown API key; expected a key of the scenario, or its id from GET /__sim/keys.');
}

/**
 * Applies a change to an API key, which is given by its text or its id. Returns a description of the key's new state.
 */
function changeKey(sim: Simulator, reference: string, change: (key: string) => void): KeyInfo {
  const key = findKey(sim, reference);
  change(key);
  return shownKey(sim, key);
}

const oneKey = fields({ key: keyReference });
const example = { key: 'free-key' };

export const keyOperations = {
  listKeys: operation({
    method: 'GET',
    path: '/keys',
    summary:
      'Lists API keys with plan, state, windows and strikes, in pages; keys that are not in the scenario are masked',
    input: fields({
      limit: optional(described(wholeNumber(1, 1_000), 'Maximum number of keys.'), 100),
      after: optional(described(keyReference, 'Key, or its id, after which the page starts.')),
    }),
    example: { limit: 100 },
    refusals: [404],
    result: fields({
      keys: list(keyInfoSchema),
      total: described(count, 'Number of keys on all pages.'),
      next: optional(described(string, 'Value of `after` for the next page; absent on the last page.')),
    }),
    run(sim, { limit, after }) {
      const texts = [...sim.keys.texts, ...sim.keys.unlisted];
      const start = after === undefined ? 0 : texts.indexOf(findKey(sim, after)) + 1;
      const page = texts.slice(start, start + limit);
      const last = page.at(-1);
      const hasMore = last !== undefined && start + limit < texts.length;
      return {
        keys: page.map((text) => shownKey(sim, text)),
        total: texts.length,
        ...(hasMore && { next: displayKey(sim, last) === last ? last : keyId(last) }),
      };
    },
  }),
  getKey: operation({
    method: 'GET',
    path: '/keys/{key}',
    summary: 'Shows the usage, strikes and ban of one API key',
    input: oneKey,
    example,
    result: keyInfoSchema,
    run: (sim, { key }) => shownKey(sim, findKey(sim, key)),
  }),
  addKey: operation({
    method: 'POST',
    path: '/keys',
    summary: 'Adds an unused API key. Replaces an existing key with the same text',
    status: 201,
    input: fields({ key: keyText, ...keyFields, bannedFor: optional(banDuration) }),
    example: { key: 'alice-key', plan: 'pro', usage: { minute: 299 } },
    result: keyInfoSchema,
    run(sim, { key, ...input }) {
      sim.keys.add(key, input);
      return shownKey(sim, key);
    },
  }),
  revokeKey: operation({
    method: 'POST',
    path: '/keys/{key}/revoke',
    summary: 'Revokes an API key: its requests receive 401 from now on',
    input: oneKey,
    example,
    result: keyInfoSchema,
    run: (sim, { key }) => changeKey(sim, key, (text) => sim.keys.revoke(text)),
  }),
  restoreKey: operation({
    method: 'POST',
    path: '/keys/{key}/restore',
    summary: 'Makes a revoked API key valid again, with its usage, strikes and ban',
    input: oneKey,
    example: { key: 'revoked-key' },
    result: keyInfoSchema,
    run: (sim, { key }) => changeKey(sim, key, (text) => sim.keys.restore(text)),
  }),
  banKey: operation({
    method: 'POST',
    path: '/keys/{key}/ban',
    summary: 'Bans an API key from now on',
    input: fields({ key: keyReference, for: described(banDuration, 'Length of the ban.') }),
    example: { key: 'free-key', for: '90s' },
    result: keyInfoSchema,
    run: (sim, { key, for: length }) => changeKey(sim, key, (text) => sim.keys.ban(text, length)),
  }),
  unbanKey: operation({
    method: 'POST',
    path: '/keys/{key}/unban',
    summary: 'Lifts the ban of an API key and clears its strikes',
    input: oneKey,
    example,
    result: keyInfoSchema,
    run: (sim, { key }) => changeKey(sim, key, (text) => sim.keys.unban(text)),
  }),
  setKeyUsage: operation({
    method: 'POST',
    path: '/keys/{key}/usage',
    summary: 'Sets how many requests an API key has used, in new windows that start now',
    input: fields({
      key: keyReference,
      ...forDocumented((name) => optional(described(count, `Used requests of the ${name}. Default: unchanged.`))),
      windows: optional(described(mapOf(string, count), 'Used requests of windows that the scenario adds, by name.')),
    }),
    example: { key: 'free-key', minute: 59 },
    result: keyInfoSchema,
    run: (sim, { key, ...usage }) =>
      changeKey(sim, key, (text) => sim.keys.setUsage(text, Object.fromEntries(windowsOf(usage)))),
  }),
  exhaustKey: operation({
    method: 'POST',
    path: '/keys/{key}/exhaust',
    summary: 'Uses up a window of an API key, so that its next request receives 429',
    input: fields({
      key: keyReference,
      window: optional(described(string, 'Name of the window. Default: the first one of the plan.')),
    }),
    example,
    result: keyInfoSchema,
    run: (sim, { key, window }) =>
      changeKey(sim, key, (text) => {
        const limits = new Map(windowsOf<WindowInfo>(sim.keys.get(text)));
        const [[first, { limit }]] = [...limits] as [[string, WindowInfo]];
        sim.keys.setUsage(text, { [window ?? first]: window === undefined ? limit : (limits.get(window)?.limit ?? 0) });
      }),
  }),
};
