import { ownText } from '../values/own-text.js';
import { mapInSteps, runToEnd, type Steps } from '../values/steps.js';
import {
  type ApiKey,
  applyBackground,
  applyPreset,
  createApiKey,
  type KeyDefinition,
  refresh,
  withWindows,
} from './api-key.js';
import type { PlanLimits, WindowLengths } from './plan-limits.js';
import { type Algorithm, emptyLog, type Window } from './window.js';

/**
 * Maximum number of API keys that are accepted although the scenario does not define them. Above the limit, the oldest
 * keys are dropped.
 */
const maximumUnlistedKeys = 10_000;

export interface KeyRegistryOptions {
  /** API keys defined by the scenario, by token. A reset restores these definitions. */
  definitions: ReadonlyMap<string, KeyDefinition>;
  plans: Readonly<Record<string, PlanLimits>>;
  windowSeconds: WindowLengths;
  algorithm: Algorithm;
  acceptAnyKey: boolean;
  /** Request rate of other simulated clients that share a key, in requests per second, by the key's token. */
  background: ReadonlyMap<string, number>;
  /** Initial state of the keys, for example from a snapshot. If absent, the keys are created from `definitions`. */
  start: KeyRegistryState | undefined;
  /** Returns the time by which the simulator's clock was moved (`clock.movedMs`). */
  clockMovedMs: () => number;
}

/** State of all API keys of a simulator, for a snapshot. `unlisted` are keys accepted under `acceptAnyKey`. */
export interface KeyRegistryState {
  keys: ApiKey[];
  unlisted: ApiKey[];
}

/** The API keys of one simulator, by token. */
export class KeyRegistry {
  #options: KeyRegistryOptions;
  #keys = new Map<string, ApiKey>();
  #unlisted = new Map<string, ApiKey>();
  #texts: readonly string[] | undefined;

  constructor(options: KeyRegistryOptions, nowMs: number) {
    this.#options = options;
    this.reset(nowMs);
  }

  /** Sets other key definitions, plans and limit settings, which take effect at the next `reset` or `restore`. */
  configure(options: KeyRegistryOptions): void {
    this.#options = options;
  }

  get plans(): KeyRegistryOptions['plans'] {
    return this.#options.plans;
  }

  get algorithm(): Algorithm {
    return this.#options.algorithm;
  }

  /** API keys from the scenario and from calls of `add`, in order of definition. */
  list(): Iterable<ApiKey> {
    return this.#keys.values();
  }

  /** Tokens of the keys from the scenario and from calls of `add`. Returns one cached array until the keys change. */
  get texts(): readonly string[] {
    this.#texts ??= Object.freeze([...this.#keys.keys()]);
    return this.#texts;
  }

  /** List of the accepted API keys that the scenario does not contain, oldest first. */
  get unlistedTokens(): string[] {
    return [...this.#unlisted.keys()];
  }

  /** Finds an API key by its token, including the unknown keys that the setting `acceptAnyKey` allows. */
  get(text: string): ApiKey | undefined {
    return this.#keys.get(text) ?? this.#unlisted.get(text);
  }

  /**
   * Finds the API key of a request by its token. Under the assumption `acceptAnyKey`, creates an unknown key on the
   * free plan.
   */
  find(text: string, nowMs: number): ApiKey | undefined {
    const known = this.get(text);
    if (known !== undefined || !this.#options.acceptAnyKey) return known;
    if (this.#unlisted.size >= maximumUnlistedKeys) {
      const [oldest] = this.#unlisted.keys();
      this.#unlisted.delete(oldest as string);
    }
    const token = ownText(text);
    const key = this.#create(token, unusedFreeKey, nowMs);
    this.#unlisted.set(token, key);
    return key;
  }

  /** Adds an API key, or replaces the key that has this token. @throws {RangeError} if the plan is unknown */
  add(text: string, definition: Partial<KeyDefinition>, nowMs: number): ApiKey {
    const key = this.#create(text, { ...unusedFreeKey, ...definition }, nowMs);
    this.#unlisted.delete(text);
    this.#keys.set(text, key);
    this.#texts = undefined;
    return key;
  }

  /**
   * Updates an API key before its request is counted. Applies the initial usage, ban and expiry from the scenario at
   * the key's first request. Then adds simulated requests of other clients.
   */
  bringUpToDate(key: ApiKey, nowMs: number): void {
    const { algorithm, background, clockMovedMs } = this.#options;
    if (key.preset !== undefined) applyPreset(key, algorithm, nowMs, clockMovedMs());
    const perSecond = background.get(key.key);
    if (perSecond !== undefined) applyBackground(key, algorithm, perSecond, nowMs);
  }

  /**
   * Returns a copy of an API key, in the state in which a request at `nowMs` (Unix milliseconds) would find the key.
   * The stored key does not change.
   */
  preview(key: ApiKey, nowMs: number): ApiKey {
    const copy = copyKey(key);
    this.bringUpToDate(copy, nowMs);
    refresh(copy, this.#options.algorithm, nowMs);
    return copy;
  }

  /** Restores the scenario's API keys with their initial usage. */
  reset(nowMs: number): void {
    const { start, definitions } = this.#options;
    const create = ([text, definition]: [string, KeyDefinition]) => this.#create(text, definition, nowMs);
    this.restore(start ? runToEnd(copyKeys(start)) : { keys: Array.from(definitions, create), unlisted: [] });
  }

  state(): KeyRegistryState {
    return { keys: [...this.#keys.values()].map(copyKey), unlisted: [...this.#unlisted.values()].map(copyKey) };
  }

  /**
   * Replaces all API keys and their state.
   * @param state keys that other code does not change, such as a result of `copyKeys`
   */
  restore({ keys, unlisted }: KeyRegistryState): void {
    this.#texts = undefined;
    this.#keys = new Map(keys.map((key) => [key.key, key]));
    this.#unlisted = new Map(unlisted.map((key) => [key.key, key]));
  }

  #create(text: string, definition: KeyDefinition, nowMs: number): ApiKey {
    const { plans, windowSeconds, clockMovedMs } = this.#options;
    const { plan } = definition;
    const limits = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
    if (limits === undefined) {
      const expected = Object.keys(plans).join(', ');
      throw new RangeError(`Failed to add a key: expected a plan (${expected}), got ${JSON.stringify(plan)}`);
    }
    return createApiKey(text, definition, limits, windowSeconds, nowMs, clockMovedMs());
  }
}

const unusedFreeKey: KeyDefinition = {
  plan: 'free',
  state: 'active',
  usage: {},
  bannedForMs: 0,
};

export function* copyKeys({ keys, unlisted }: KeyRegistryState): Steps<KeyRegistryState> {
  return { keys: yield* mapInSteps(keys, copyKey), unlisted: yield* mapInSteps(unlisted, copyKey) };
}

/** Copies an API key's state, including the windows. */
const copyKey = (key: ApiKey): ApiKey => withWindows(key, key.windows.map(copyWindow));

const copyWindow = (window: Window): Window => ({
  name: window.name,
  limit: window.limit,
  lengthSeconds: window.lengthSeconds,
  startSeconds: window.startSeconds,
  used: window.used,
  // Skips `map` for an empty list of request times, the usual case, because `map` would double the time for copying an
  // API key.
  log: window.log.length === 0 ? emptyLog : window.log.map(([second, requests]) => [second, requests]),
  logStart: window.logStart,
  remaining: window.remaining,
  resetAtSeconds: window.resetAtSeconds,
});
