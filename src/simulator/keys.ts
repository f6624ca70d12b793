import type { Clock } from '../clock/clock.js';
import { type ApiKey, liftBan, restore, revoke, setUsage, startBan } from '../rate-limits/api-key.js';
import type { KeyRegistry } from '../rate-limits/key-registry.js';
import type { PlanLimits } from '../rate-limits/plan-limits.js';
import type { Window } from '../rate-limits/window.js';
import { checkKey, type KeyInput } from '../scenario/resolve-keys.js';
import { type Duration, parseDuration } from '../values/duration.js';
import { keyId } from '../values/mask-key.js';

/** An API key with its state, as it would answer a request now. */
export interface KeyInfo {
  key: string;
  /** Stands for the key where the key itself is not to be shown. */
  id: string;
  plan: string;
  state: 'active' | 'revoked' | 'expired' | 'banned';
  minute: WindowInfo;
  day: WindowInfo;
  strikes: number;
  /** ISO 8601; only while the key is banned. */
  bannedUntil?: string;
}

/** One window of a key: its limit, how many more requests will be served, and until when that holds. */
export interface WindowInfo {
  limit: number;
  remaining: number;
  /** Unix seconds. */
  resetAtSeconds: number;
}

/** The API keys of a simulator. Every method that takes a key throws a {RangeError} when there is none with this text. */
export interface Keys {
  /** Every key that the scenario or `add` named. */
  list(): KeyInfo[];
  /** The texts of the keys that `list` gives. The same array until they change. */
  readonly texts: readonly string[];
  /** The texts of the keys that requests made up under `acceptAnyKey`, which `list` leaves out. */
  readonly unlisted: readonly string[];
  get(key: string): KeyInfo;
  /**
   * Adds a key, or replaces the one with the same text.
   * @param input what a scenario says about a key: `plan` (default `free`), `state`, `usage`, `bannedFor`, `expiresAt`, `expiresIn`
   * @throws {ScenarioError} for an unknown field or plan, or a usage above the limit of the plan
   * @example sim.keys.add('alice', { plan: 'pro', usage: { minute: 299 } })
   */
  add(key: string, input?: KeyInput): KeyInfo;
  /** From now on the key gets 401. */
  revoke(key: string): void;
  /** Makes a revoked key valid again, with its usage, strikes and ban. */
  restore(key: string): void;
  /** Bans a key from now on. @param duration milliseconds, or text such as `90s` */
  ban(key: string, duration: Duration): void;
  /** Lifts a ban and clears the strikes. */
  unban(key: string): void;
  /**
   * Sets how many requests a key has used, in windows that start now.
   * @throws {RangeError} when that is not a whole number from 0 to the limit of the plan
   * @example sim.keys.setUsage('free-key', { minute: 60 }) // the next request is a 429
   */
  setUsage(key: string, usage: Partial<PlanLimits>): void;
}

export function createKeys(registry: KeyRegistry, clock: Clock): Keys {
  const find = (text: string): ApiKey => {
    const key = registry.get(text);
    if (key !== undefined) return key;
    throw new RangeError(`Failed to find the key: expected a known API key, got ${JSON.stringify(text)}`);
  };
  const info = (key: ApiKey) => toInfo(registry.preview(key, clock.now()), clock.now());
  return {
    list: () => [...registry.list()].map(info),
    get texts() {
      return registry.texts;
    },
    get unlisted() {
      return registry.unlistedTexts;
    },
    get: (text) => info(find(text)),
    add: (text, input = {}) => info(registry.add(text, checkKey(text, input, registry.plans), clock.now())),
    revoke: (text) => revoke(find(text)),
    restore: (text) => restore(find(text)),
    ban: (text, duration) => startBan(find(text), clock.now(), parseDuration(duration), 'set'),
    unban: (text) => liftBan(find(text)),
    setUsage(text, usage) {
      const key = find(text);
      checkUsage(key, usage);
      const nowMs = clock.now();
      registry.bringUpToDate(key, nowMs);
      setUsage(key, registry.algorithm, usage, nowMs);
    },
  };
}

/** @param key brought up to date */
function toInfo(key: ApiKey, nowMs: number): KeyInfo {
  const isExpired = key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs;
  const isBanned = nowMs < key.bannedUntilMs;
  return {
    key: key.key,
    id: keyId(key.key),
    plan: key.plan,
    state: key.state === 'revoked' ? 'revoked' : isExpired ? 'expired' : isBanned ? 'banned' : 'active',
    minute: windowInfo(key.minute),
    day: windowInfo(key.day),
    strikes: key.strikes,
    ...(isBanned && { bannedUntil: new Date(key.bannedUntilMs).toISOString() }),
  };
}

const windowInfo = ({ limit, remaining, resetAtSeconds }: Window): WindowInfo => ({ limit, remaining, resetAtSeconds });

function checkUsage(key: ApiKey, usage: Partial<PlanLimits>): void {
  for (const [name, used] of Object.entries(usage)) {
    if (used === undefined) continue;
    if (name !== 'minute' && name !== 'day') {
      throw new RangeError(`Failed to set the usage: expected minute or day, got ${JSON.stringify(name)}`);
    }
    if (!Number.isInteger(used) || used < 0 || used > key[name].limit) {
      const expected = `a whole number from 0 to ${key[name].limit}`;
      throw new RangeError(`Failed to set the usage: expected ${expected}, got ${String(used)}`);
    }
  }
}
