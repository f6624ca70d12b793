import type { Clock } from '../clock/clock.js';
import { type ApiKey, liftBan, setUsage, startBan, windowOf } from '../rate-limits/api-key.js';
import type { KeyRegistry } from '../rate-limits/key-registry.js';
import type { PlanLimits } from '../rate-limits/plan-limits.js';
import { servedAgain } from '../rate-limits/served-again.js';
import type { Window } from '../rate-limits/window.js';
import type { WindowName } from '../requests/request-record.js';
import { unknownWindow } from '../scenario/per-window.js';
import { checkKey, type KeyInput } from '../scenario/resolve-keys.js';
import { type Duration, parseDuration } from '../values/duration.js';
import { keyId } from '../values/mask-key.js';
import { type DocumentedWindow, toWindowFields } from '../values/window-fields.js';

/**
 * State of an API key at the current time of the simulator's clock. A documented window, such as `minute`, is absent if
 * the key's plan has no limit for the window.
 */
export interface KeyInfo extends Record<DocumentedWindow, WindowInfo> {
  key: string;
  /** Hash that identifies the API key in output with masked keys: `key_af63dc4c8601ec8c`. */
  id: string;
  plan: string;
  state: 'active' | 'revoked' | 'expired' | 'banned';
  /** Windows that the scenario adds and the key's plan limits, by name. Absent without one. */
  windows?: Readonly<Record<string, WindowInfo>>;
  /**
   * Present until the first request of a key whose scenario sets usage, ban or expiry. These begin with the request, so
   * times from now on are not fixed yet.
   */
  preset?: true;
  /** Number of strikes of the API key: requests sent too early after a 429. Enough strikes ban the key. */
  strikes: number;
  /** End of the API key's ban, in ISO 8601. Present only while the key is banned. */
  bannedUntil?: string;
  /**
   * Time from which the key's requests are accepted again, in ISO 8601, and the used-up window that resets then, if
   * that is after the ban. Absent for a key that is served now, revoked or expired.
   */
  servedAgain?: { at: string; window?: WindowName };
}

/** Limit, remaining requests and reset time of one window of an API key. */
export interface WindowInfo {
  limit: number;
  remaining: number;
  /** Time at which the limit resets. */
  resetAtSeconds: number;
}

/** The API keys of a simulator. All methods except `list` and `add` throw a `RangeError` for an unknown key. */
export interface Keys {
  /** Lists the simulator's API keys: those from the scenario, and those that were added with the method `add`. */
  list(): KeyInfo[];
  /**
   * Texts of the API keys that the scenario defines or `add` created. The property returns the same array until these
   * keys change.
   */
  readonly texts: readonly string[];
  /**
   * Texts of API keys that requests have used, but that neither the scenario nor `add` defines. The simulator accepts
   * these keys if the setting `acceptAnyKey` is true. The method `list` omits these keys.
   */
  readonly unlisted: readonly string[];
  /** Returns the current state of an API key. */
  get(key: string): KeyInfo;
  /**
   * Adds an API key, or replaces the key with this text.
   * @param input fields of a key in a scenario: `plan` (default `free`), `state`, `usage`, `bannedFor`, `expiresAt`,
   * `expiresIn`
   * @throws {ScenarioError} for an unknown field or plan, or a usage above the plan's limit
   * @example sim.keys.add('alice', { plan: 'pro', usage: { minute: 299 } })
   */
  add(key: string, input?: KeyInput): KeyInfo;
  /** Revokes an API key. Further requests with the key get 401. */
  revoke(key: string): void;
  /** Makes a revoked API key valid again. Usage, strikes and ban of the key are unchanged. */
  restore(key: string): void;
  /**
   * Bans an API key from now on.
   * @param duration length of the ban in milliseconds, or as text such as `90s`
   */
  ban(key: string, duration: Duration): void;
  /** Lifts an API key's ban and clears the key's strikes. */
  unban(key: string): void;
  /**
   * Sets the number of used requests of an API key per window. Each changed window starts now.
   * @throws {RangeError} unless each number is an integer from 0 to the plan's limit
   * @example sim.keys.setUsage('free-key', { minute: 60 }) // after setUsage, the next request with free-key gets a 429
   */
  setUsage(key: string, usage: Partial<PlanLimits>): void;
}

export function createKeys(registry: KeyRegistry, clock: Clock): Keys {
  const find = (text: string): ApiKey => {
    const key = registry.get(text);
    if (key !== undefined) return key;
    throw new RangeError(`Failed to find the key: expected a known API key, got ${JSON.stringify(text)}`);
  };
  const info = (key: ApiKey) => toInfo(registry.preview(key, clock.now()), clock.now(), key.preset !== undefined);
  return {
    list: () => [...registry.list()].map(info),
    get texts() {
      return registry.texts;
    },
    get unlisted() {
      return registry.unlistedTokens;
    },
    get: (text) => info(find(text)),
    add: (text, input = {}) => info(registry.add(text, checkKey(text, input, registry.plans), clock.now())),
    revoke(text) {
      find(text).state = 'revoked';
    },
    restore(text) {
      find(text).state = 'active';
    },
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

/**
 * Describes the plan, state and usage of an API key. The caller must have updated the key's rate-limit windows and
 * strikes to `nowMs`.
 */
function toInfo(key: ApiKey, nowMs: number, isPreset: boolean): KeyInfo {
  const isExpired = key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs;
  const isBanned = nowMs < key.bannedUntilMs;
  // Requires each documented window in the type, because a plan without one is rare.
  const windows = toWindowFields(key.windows.map((window) => [window.name, windowInfo(window)])) as Documented;
  const again = isExpired || key.state === 'revoked' ? undefined : servedAgain(key, nowMs);
  return {
    key: key.key,
    id: keyId(key.key),
    plan: key.plan,
    state: key.state === 'revoked' ? 'revoked' : isExpired ? 'expired' : isBanned ? 'banned' : 'active',
    ...windows,
    ...(isPreset && { preset: true }),
    strikes: key.strikes,
    ...(isBanned && { bannedUntil: new Date(key.bannedUntilMs).toISOString() }),
    ...(again !== undefined && {
      servedAgain: { at: new Date(again.atMs).toISOString(), ...(again.window && { window: again.window }) },
    }),
  };
}

type Documented = Pick<KeyInfo, DocumentedWindow | 'windows'>;

const windowInfo = ({ limit, remaining, resetAtSeconds }: Window): WindowInfo => ({ limit, remaining, resetAtSeconds });

function checkUsage(key: ApiKey, usage: Partial<PlanLimits>): void {
  for (const [name, used] of Object.entries(usage)) {
    if (used === undefined) continue;
    const window = windowOf(key, name);
    if (window === undefined) {
      const names = key.windows.map((each) => each.name);
      throw new RangeError(`Failed to set the usage: ${unknownWindow(name, names, 'plan')}`);
    }
    if (!Number.isInteger(used) || used < 0 || used > window.limit) {
      const expected = `a whole number from 0 to ${window.limit}`;
      throw new RangeError(`Failed to set the usage: expected ${expected}, got ${String(used)}`);
    }
  }
}
