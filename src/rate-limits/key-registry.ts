import { hashOfKeyId, keyHash, keyId } from '../values/mask-key.js';
import { inOneGo, mapInSteps, type Steps } from '../values/steps.js';
import {
  type ApiKey,
  applyBackground,
  applyPreset,
  createApiKey,
  type KeyDefinition,
  refresh,
  withWindows,
} from './api-key.js';
import type { PlanLimits } from './plan-limits.js';
import type { Algorithm, Window } from './window.js';

/** Keys that requests made up under `acceptAnyKey` are forgotten, oldest first, past this many. */
const maximumUnlistedKeys = 10_000;

export interface KeyRegistryOptions {
  /** The keys of the scenario, by their text: what a reset goes back to. */
  definitions: ReadonlyMap<string, KeyDefinition>;
  plans: Readonly<Record<string, PlanLimits>>;
  windowSeconds: PlanLimits;
  algorithm: Algorithm;
  acceptAnyKey: boolean;
  /** Requests a second that other clients make with a key. */
  background: ReadonlyMap<string, number>;
  /** The state to start in, in place of unused keys. */
  start: KeyRegistryState | undefined;
  /** How far the clock has been moved by hand, in milliseconds. */
  clockMovedMs: () => number;
}

/** Everything about the keys that requests change. */
export interface KeyRegistryState {
  keys: ApiKey[];
  unlisted: ApiKey[];
}

/** The API keys of one simulator by their text. */
export class KeyRegistry {
  #options: KeyRegistryOptions;
  #keys = new Map<string, ApiKey>();
  #unlisted = new Map<string, ApiKey>();
  /** The texts of all keys by the hashes in their ids, from the first lookup of an id on. */
  #textsByHash: Map<number, string> | undefined;
  #texts: readonly string[] | undefined;
  /** The key of the last request: to compare its text takes less than to look it up. */
  #last: ApiKey | undefined;

  constructor(options: KeyRegistryOptions, nowMs: number) {
    this.#options = options;
    this.reset(nowMs);
  }

  /** Sets other keys, plans and rules. They apply from the next `reset` or `restore` on. */
  configure(options: KeyRegistryOptions): void {
    this.#options = options;
  }

  get plans(): KeyRegistryOptions['plans'] {
    return this.#options.plans;
  }

  get algorithm(): Algorithm {
    return this.#options.algorithm;
  }

  /** The keys that the scenario or `add` named, in their order. */
  list(): Iterable<ApiKey> {
    return this.#keys.values();
  }

  /** The texts of these keys. The same array until they change. */
  get texts(): readonly string[] {
    this.#texts ??= Object.freeze([...this.#keys.keys()]);
    return this.#texts;
  }

  /** The texts of the keys that requests made up under `acceptAnyKey`, the oldest first. */
  get unlistedTexts(): string[] {
    return [...this.#unlisted.keys()];
  }

  /** A key that the scenario or `add` named, or that a request made up under `acceptAnyKey`. */
  get(text: string): ApiKey | undefined {
    if (this.#last?.key !== text) this.#last = this.#keys.get(text) ?? this.#unlisted.get(text);
    return this.#last;
  }

  /** The text of the key with this text, or else with this id. */
  textOf(reference: string): string | undefined {
    if (this.get(reference) !== undefined) return reference;
    const hash = hashOfKeyId(reference);
    if (hash === undefined) return undefined;
    this.#textsByHash ??= new Map(
      [...this.#keys.keys(), ...this.#unlisted.keys()].map((text) => [keyHash(text), text]),
    );
    const text = this.#textsByHash.get(hash);
    return text !== undefined && keyId(text) === reference ? text : undefined;
  }

  /** The key of a request; under `acceptAnyKey` any text is one, on the free plan. */
  find(text: string, nowMs: number): ApiKey | undefined {
    const known = this.get(text);
    if (known !== undefined || !this.#options.acceptAnyKey) return known;
    if (this.#unlisted.size >= maximumUnlistedKeys) {
      const [oldest] = this.#unlisted.keys();
      this.#unlisted.delete(oldest as string);
      this.#textsByHash?.delete(keyHash(oldest as string));
    }
    const key = this.#create(text, unusedFreeKey, nowMs);
    this.#unlisted.set(text, key);
    return key;
  }

  /** Adds a key, or replaces the one with the same text. @throws {RangeError} when there is no such plan */
  add(text: string, definition: Partial<KeyDefinition>, nowMs: number): ApiKey {
    const key = this.#create(text, { ...unusedFreeKey, ...definition }, nowMs);
    this.#unlisted.delete(text);
    this.#keys.set(text, key);
    this.#texts = undefined;
    this.#last = undefined;
    return key;
  }

  /** Brings a key up to date before a request: its preset, then what other clients used with it until now. */
  bringUpToDate(key: ApiKey, nowMs: number): void {
    const { algorithm, background, clockMovedMs } = this.#options;
    if (key.preset !== undefined) applyPreset(key, algorithm, nowMs, clockMovedMs());
    const perSecond = background.get(key.key);
    if (perSecond !== undefined) applyBackground(key, algorithm, perSecond, nowMs);
  }

  /** The key as a request would find it now. A copy, so that looking changes nothing. */
  preview(key: ApiKey, nowMs: number): ApiKey {
    const copy = copyKey(key);
    this.bringUpToDate(copy, nowMs);
    refresh(copy, this.#options.algorithm, nowMs);
    return copy;
  }

  /** Goes back to the keys of the scenario as they were at its start: unused, unless it says otherwise. */
  reset(nowMs: number): void {
    if (this.#options.start !== undefined) {
      this.restore(inOneGo(copyKeys(this.#options.start)));
      return;
    }
    this.#texts = undefined;
    this.#last = undefined;
    this.#unlisted = new Map();
    this.#keys = new Map();
    this.#textsByHash = undefined;
    for (const [text, definition] of this.#options.definitions) {
      this.#keys.set(text, this.#create(text, definition, nowMs));
    }
  }

  state(): KeyRegistryState {
    return { keys: [...this.#keys.values()].map(copyKey), unlisted: [...this.#unlisted.values()].map(copyKey) };
  }

  /** @param state keys that nothing else changes: `copyKeys` of those that are kept */
  restore({ keys, unlisted }: KeyRegistryState): void {
    this.#texts = undefined;
    this.#last = undefined;
    this.#keys = new Map(keys.map((key) => [key.key, key]));
    this.#unlisted = new Map(unlisted.map((key) => [key.key, key]));
    this.#textsByHash = undefined;
  }

  #create(text: string, definition: KeyDefinition, nowMs: number): ApiKey {
    const { plans, windowSeconds, clockMovedMs } = this.#options;
    const { plan } = definition;
    const limits = Object.hasOwn(plans, plan) ? plans[plan] : undefined;
    if (limits === undefined) {
      const expected = Object.keys(plans).join(', ');
      throw new RangeError(`Failed to add a key: expected a plan (${expected}), got ${JSON.stringify(plan)}`);
    }
    this.#textsByHash?.set(keyHash(text), text);
    return createApiKey(text, definition, limits, windowSeconds, nowMs, clockMovedMs());
  }
}

const unusedFreeKey: KeyDefinition = {
  plan: 'free',
  state: 'active',
  usage: { minute: 0, day: 0 },
  bannedForMs: 0,
};

export function* copyKeys({ keys, unlisted }: KeyRegistryState): Steps<KeyRegistryState> {
  return { keys: yield* mapInSteps(keys, copyKey), unlisted: yield* mapInSteps(unlisted, copyKey) };
}

/** Copies a key; the copy shares nothing with it. */
const copyKey = (key: ApiKey): ApiKey => withWindows(key, copyWindow(key.minute), copyWindow(key.day));

const copyWindow = (window: Window): Window => ({
  limit: window.limit,
  lengthSeconds: window.lengthSeconds,
  startSeconds: window.startSeconds,
  used: window.used,
  // Mostly empty; a call of `map` takes as long as the rest.
  log: window.log.length === 0 ? [] : window.log.map(([second, requests]) => [second, requests]),
  logStart: window.logStart,
  remaining: window.remaining,
  resetAtSeconds: window.resetAtSeconds,
});
