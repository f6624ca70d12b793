import type { PlanLimits } from '../contract/document.js';
import type { Clock } from '../state/clock.js';
import { type Duration, parseDuration } from '../values/duration.js';
import { keyId } from '../values/mask-key.js';
import { startBan } from './ban.js';
import { countServed, refreshWindows } from './rate-report.js';
import { type Algorithm, createWindow, type Window } from './window.js';

/** How a scenario describes one API key. */
export interface KeyDefinition {
  plan: string;
  state: 'active' | 'revoked';
  /** From this instant, in Unix milliseconds, the key is refused with 401. */
  expiresAtMs?: number | undefined;
  /** The same, this long after the first request of the key; the earlier of both counts. */
  expiresInMs?: number | undefined;
  /** Requests already used in each window when the key makes its first request. */
  usage: PlanLimits;
  /** A ban of this length stands when the key makes its first request. 0: none. */
  bannedForMs: number;
}

/** One API key and everything that its requests change. Instants in Unix milliseconds unless the name says seconds. */
export interface ApiKey {
  readonly key: string;
  readonly plan: string;
  state: 'active' | 'revoked';
  expiresAtMs: number | undefined;
  readonly minute: Window;
  readonly day: Window;
  /** What the scenario presets, until the first request puts it in force; `clockMovedMs` is from when the key was made. */
  preset: (Pick<KeyDefinition, 'usage' | 'bannedForMs' | 'expiresInMs'> & { clockMovedMs: number }) | undefined;
  /** From the first refusal to the next served request or a ban. */
  episode: { firstRefusalMs: number; promisedAtSeconds: number } | undefined;
  /** How many episodes of refusals the key has begun. */
  episodes: number;
  strikes: number;
  /** How many bans the key has had; decides the length of the next where bans escalate. */
  bans: number;
  bannedUntilMs: number;
  /** Until which Unix second the requests of someone else with this key are counted. */
  backgroundSeconds: number;
}

/** What `sim.keys.list()` shows of a key. */
export interface KeyInfo {
  /** A short id that does not show the key: `key_af63dc4c8601ec8c`. The control API takes it wherever it takes a key. */
  id: string;
  key: string;
  plan: string;
  state: 'active' | 'revoked' | 'expired' | 'banned';
  minute: WindowInfo;
  day: WindowInfo;
  strikes: number;
  /** ISO 8601; only while the key is banned. */
  bannedUntil?: string;
}

/** One window of a key: its limit, how many more requests will be served, and until when that holds (Unix seconds). */
export interface WindowInfo {
  limit: number;
  remaining: number;
  resetAtSeconds: number;
}

/** How far back the requests of someone else are counted at least: days, and a moment's work. */
const backgroundSeconds = 8 * 86_400;

/** Keys that requests made up under `acceptAnyKey` are forgotten, oldest first, past this many. */
const mostUnlistedKeys = 10_000;

interface KeysOptions {
  /** The keys of the scenario: what `reset()` goes back to. */
  definitions: ReadonlyMap<string, KeyDefinition>;
  plans: Readonly<Record<string, PlanLimits>>;
  windowSeconds: PlanLimits;
  algorithm: Algorithm;
  acceptAnyKey: boolean;
  /** Requests a second that someone else makes with a key. */
  background: ReadonlyMap<string, number>;
  clock: Clock;
}

/** The API keys of one simulator, each with its plan, its windows, strikes and ban. */
export class Keys {
  #options: KeysOptions;
  #keys = new Map<string, ApiKey>();
  #unlisted = new Map<string, ApiKey>();
  #revision = 0;

  constructor(options: KeysOptions) {
    this.#options = options;
    this.reset();
  }

  /** Takes other keys, plans and rules to start from, and starts from them. */
  configure(options: KeysOptions): void {
    this.#options = options;
    this.reset();
  }

  /** Every key that the scenario or `add` named. */
  list(): KeyInfo[] {
    return [...this.#keys.values()].map((key) => this.#info(key));
  }

  /** The texts of all keys: those that `list` shows, then those that requests made up under `acceptAnyKey`. */
  get texts(): string[] {
    return [...this.#keys.keys(), ...this.#unlisted.keys()];
  }

  /** Counts the changes of `texts`, but for keys that requests make up. */
  get revision(): number {
    return this.#revision;
  }

  /** @throws {RangeError} when there is no such key; so do the methods below */
  get(text: string): KeyInfo {
    return this.#info(this.#named(text));
  }

  /**
   * Adds a key, unused, or replaces the one with the same text.
   * @param definition.plan default `free`
   * @throws {RangeError} when there is no such plan
   * @example sim.keys.add('alice', { plan: 'pro' })
   */
  add(text: string, definition: Partial<KeyDefinition> = {}): KeyInfo {
    const key = this.#create(text, { ...unusedFreeKey, ...definition });
    this.#unlisted.delete(text);
    this.#keys.set(text, key);
    this.#revision++;
    return this.#info(key);
  }

  /** Revokes a key: from now on it gets 401. */
  revoke(text: string): void {
    this.#named(text).state = 'revoked';
  }

  /**
   * Bans a key from now on.
   * @param duration milliseconds or text such as `90s`
   */
  ban(text: string, duration: Duration): void {
    const key = this.#named(text);
    startBan(key, this.#options.clock.now() + parseDuration(duration));
    key.preset = key.preset && { ...key.preset, bannedForMs: 0 };
  }

  /** Lifts a ban and clears the strikes. */
  unban(text: string): void {
    const key = this.#named(text);
    key.bannedUntilMs = 0;
    key.strikes = 0;
    key.preset = key.preset && { ...key.preset, bannedForMs: 0 };
  }

  /**
   * Sets how many requests a key has used, in windows that start now.
   * @throws {RangeError} when that is not a whole number from 0 to the limit of the plan
   * @example sim.keys.setUsage('free-key', { minute: 60 }) // the next request is a 429
   */
  setUsage(text: string, usage: Partial<PlanLimits>): void {
    const key = this.#named(text);
    const { algorithm, clock } = this.#options;
    for (const name of ['minute', 'day'] as const) {
      const used = usage[name];
      if (used === undefined) continue;
      if (!Number.isInteger(used) || used < 0 || used > key[name].limit) {
        throw new RangeError(
          `Failed to set the usage: expected a whole number from 0 to ${key[name].limit}, got ${used}`,
        );
      }
    }
    this.catchUp(key);
    for (const name of ['minute', 'day'] as const) {
      const used = usage[name];
      if (used !== undefined) algorithm.preset(key[name], used, Math.floor(clock.now() / 1000));
    }
  }

  /** The key that a request brings; under `acceptAnyKey` any text is one, on the free plan. */
  find(text: string): ApiKey | undefined {
    const known = this.#keys.get(text) ?? this.#unlisted.get(text);
    if (known !== undefined || !this.#options.acceptAnyKey) return known;
    if (this.#unlisted.size >= mostUnlistedKeys) {
      const [oldest] = this.#unlisted.keys();
      this.#unlisted.delete(oldest as string);
    }
    const key = this.#create(text, unusedFreeKey);
    this.#unlisted.set(text, key);
    return key;
  }

  /**
   * Puts in force what the scenario presets, at the first request of the key: idle real time before it does not use up
   * the preset, time moved by hand does.
   */
  startPreset(key: ApiKey): void {
    if (key.preset === undefined) return;
    const { usage, bannedForMs, expiresInMs, clockMovedMs } = key.preset;
    const { clock, algorithm } = this.#options;
    const startMs = clock.now() - Math.max(0, clock.movedMs - clockMovedMs);
    const startSeconds = Math.floor(startMs / 1000);
    key.preset = undefined;
    // What someone else has used before is part of the preset.
    key.backgroundSeconds = Math.max(key.backgroundSeconds, startSeconds);
    if (usage.minute > 0) algorithm.preset(key.minute, usage.minute, startSeconds);
    if (usage.day > 0) algorithm.preset(key.day, usage.day, startSeconds);
    // From a whole second, as every ban, so that Retry-After tells its length exactly.
    if (bannedForMs > 0) startBan(key, startSeconds * 1000 + bannedForMs);
    if (expiresInMs !== undefined) {
      key.expiresAtMs = Math.min(key.expiresAtMs ?? Number.POSITIVE_INFINITY, startMs + expiresInMs);
    }
  }

  /** Brings a key up to date before a request: its preset, then what someone else used with it until now. */
  catchUp(key: ApiKey): void {
    this.startPreset(key);
    const perSecond = this.#options.background.get(key.key);
    if (perSecond === undefined) return;
    const { algorithm, clock, windowSeconds } = this.#options;
    const nowSeconds = Math.floor(clock.now() / 1000);
    const mostSeconds = Math.max(backgroundSeconds, windowSeconds.minute, windowSeconds.day);
    let second = Math.max(key.backgroundSeconds, nowSeconds - mostSeconds);
    key.backgroundSeconds = nowSeconds;
    while (++second <= nowSeconds) {
      const requests = Math.floor(perSecond * second) - Math.floor(perSecond * (second - 1));
      // A banned key is refused, whoever uses it.
      if (requests === 0 || second * 1000 < key.bannedUntilMs) continue;
      refreshWindows(algorithm, key, second);
      const { minute, day } = key;
      const served = Math.min(requests, minute.remaining, day.remaining);
      if (served > 0) countServed(algorithm, key, second, served);
      // Nothing is served before the reset, so nothing has to be looked at.
      if (minute.remaining === 0) second = Math.max(second, minute.resetAtSeconds - 1);
      if (day.remaining === 0) second = Math.max(second, day.resetAtSeconds - 1);
    }
  }

  /** Goes back to the keys of the scenario, unused. */
  reset(): void {
    this.#revision++;
    this.#unlisted = new Map();
    this.#keys = new Map();
    for (const [text, definition] of this.#options.definitions) this.#keys.set(text, this.#create(text, definition));
  }

  state(): { keys: ApiKey[]; unlisted: ApiKey[] } {
    return structuredClone({ keys: [...this.#keys.values()], unlisted: [...this.#unlisted.values()] });
  }

  restore(state: ReturnType<Keys['state']>): void {
    const { keys, unlisted } = structuredClone(state);
    this.#revision++;
    this.#keys = new Map(keys.map((key) => [key.key, key]));
    this.#unlisted = new Map(unlisted.map((key) => [key.key, key]));
  }

  #named(text: string): ApiKey {
    const key = this.#keys.get(text) ?? this.#unlisted.get(text);
    if (key === undefined)
      throw new RangeError(`Failed to find the key: expected a known API key, got ${JSON.stringify(text)}`);
    return key;
  }

  #info(key: ApiKey): KeyInfo {
    const nowMs = this.#options.clock.now();
    // What stands while the preset waits for the first request is shown on a copy, so that looking changes nothing.
    const seen = structuredClone(key);
    this.catchUp(seen);
    refreshWindows(this.#options.algorithm, seen, Math.floor(nowMs / 1000));
    const expired = seen.expiresAtMs !== undefined && nowMs >= seen.expiresAtMs;
    const banned = nowMs < seen.bannedUntilMs;
    const windowInfo = ({ limit, remaining, resetAtSeconds }: Window) => ({
      limit,
      remaining,
      resetAtSeconds,
    });
    return {
      id: keyId(seen.key),
      key: seen.key,
      plan: seen.plan,
      state: seen.state === 'revoked' ? 'revoked' : expired ? 'expired' : banned ? 'banned' : 'active',
      minute: windowInfo(seen.minute),
      day: windowInfo(seen.day),
      strikes: seen.strikes,
      ...(banned && { bannedUntil: new Date(seen.bannedUntilMs).toISOString() }),
    };
  }

  #create(text: string, { plan, state, expiresAtMs, expiresInMs, usage, bannedForMs }: KeyDefinition): ApiKey {
    const { plans, windowSeconds, clock } = this.#options;
    const limits = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
    if (limits === undefined) {
      const expected = Object.keys(plans).join(', ');
      throw new RangeError(`Failed to add a key: expected a plan (${expected}), got ${JSON.stringify(plan)}`);
    }
    const hasPreset = usage.minute + usage.day + bannedForMs > 0 || expiresInMs !== undefined;
    return {
      key: text,
      plan,
      state,
      expiresAtMs,
      minute: createWindow(limits.minute, windowSeconds.minute),
      day: createWindow(limits.day, windowSeconds.day),
      preset: hasPreset ? { usage, bannedForMs, expiresInMs, clockMovedMs: clock.movedMs } : undefined,
      episode: undefined,
      episodes: 0,
      strikes: 0,
      bans: 0,
      bannedUntilMs: 0,
      backgroundSeconds: Math.floor(clock.now() / 1000),
    };
  }
}

const unusedFreeKey: KeyDefinition = {
  plan: 'free',
  state: 'active',
  usage: { minute: 0, day: 0 },
  bannedForMs: 0,
};
