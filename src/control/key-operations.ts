import { keyFields, keyText } from '../scenario/key-schema.js';
import { refine } from '../schema/schema.js';
import { fields, oneOf, optional } from '../schema/schemas.js';
import { count, duration } from '../schema/value-schemas.js';
import { operation } from './control-operation.js';
import { keyReference } from './input-values.js';
import { findKey, shownKey } from './key-reference.js';

/** Ten years: as long as anyone needs, and still an instant that can be written. */
const longestBanMs = 3_650 * 86_400_000;
const banDuration = refine(duration, (ms) => ms <= longestBanMs, 'at most 3650d');

const aKey = fields({ key: keyReference });

export const keyOperations = {
  listKeys: operation({
    method: 'GET',
    path: '/keys',
    summary:
      'The API keys with plan, state, windows and strikes; of each key only the end, and an id that stands for it',
    input: fields({}),
    run: (sim) => sim.keys.list().map(shownKey),
  }),
  getKey: operation({
    method: 'GET',
    path: '/keys/{key}',
    summary: 'One API key',
    input: aKey,
    run: (sim, { key }) => shownKey(sim.keys.get(findKey(sim, key))),
  }),
  addKey: operation({
    method: 'POST',
    path: '/keys',
    summary: 'Adds an API key, unused, or replaces the one with the same text',
    status: 201,
    input: fields({ key: keyText, ...keyFields, bannedFor: optional(banDuration) }),
    run: (sim, { key, ...input }) => shownKey(sim.keys.add(key, input)),
  }),
  revokeKey: operation({
    method: 'POST',
    path: '/keys/{key}/revoke',
    summary: 'Revokes an API key: from now on it gets 401',
    input: aKey,
    run(sim, input) {
      const key = findKey(sim, input.key);
      sim.keys.revoke(key);
      return shownKey(sim.keys.get(key));
    },
  }),
  banKey: operation({
    method: 'POST',
    path: '/keys/{key}/ban',
    summary: 'Bans an API key from now on',
    input: fields({ key: keyReference, for: banDuration }),
    run(sim, input) {
      const key = findKey(sim, input.key);
      sim.keys.ban(key, input.for);
      return shownKey(sim.keys.get(key));
    },
  }),
  unbanKey: operation({
    method: 'POST',
    path: '/keys/{key}/unban',
    summary: 'Lifts a ban and clears the strikes',
    input: aKey,
    run(sim, input) {
      const key = findKey(sim, input.key);
      sim.keys.unban(key);
      return shownKey(sim.keys.get(key));
    },
  }),
  setKeyUsage: operation({
    method: 'POST',
    path: '/keys/{key}/usage',
    summary: 'Sets how many requests an API key has used, in windows that start now',
    input: fields({ key: keyReference, minute: optional(count), day: optional(count) }),
    run(sim, { key: reference, minute, day }) {
      const key = findKey(sim, reference);
      sim.keys.setUsage(key, { ...(minute !== undefined && { minute }), ...(day !== undefined && { day }) });
      return shownKey(sim.keys.get(key));
    },
  }),
  exhaustKey: operation({
    method: 'POST',
    path: '/keys/{key}/exhaust',
    summary: 'Uses up a window of an API key, so that its next request is a 429',
    input: fields({ key: keyReference, window: optional(oneOf('minute', 'day'), 'minute') }),
    run(sim, { key: reference, window }) {
      const key = findKey(sim, reference);
      sim.keys.setUsage(key, { [window]: sim.keys.get(key)[window].limit });
      return shownKey(sim.keys.get(key));
    },
  }),
};
