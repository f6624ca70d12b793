import type { PlanLimits } from './plan-limits.js';
import type { LimitSettings } from './settings.js';
import { type Algorithm, createWindow, type Window } from './window.js';

/** An API key as a scenario describes it. */
export interface KeyDefinition {
  plan: string;
  state: 'active' | 'revoked';
  /** From this instant the key gets 401. Unix milliseconds. */
  expiresAtMs?: number | undefined;
  /** The same, counted from the first request of the key; the earlier of both wins. */
  expiresInMs?: number | undefined;
  /** Requests already used in each window when the key makes its first request. */
  usage: PlanLimits;
  /** Length of a ban that is running when the key makes its first request. 0: no ban. */
  bannedForMs: number;
}

/** What started a ban: requests after a 429, or a scenario or a person. */
export type BanCause = 'strikes' | 'set';

/**
 * The state of one API key as plain data. Only the functions of this file change it.
 * Instants are Unix milliseconds unless the name says seconds.
 */
export interface ApiKey {
  readonly key: string;
  readonly plan: string;
  state: 'active' | 'revoked';
  expiresAtMs: number | undefined;
  readonly minute: Window;
  readonly day: Window;
  /** What the scenario presets, until the first request applies it. `clockMovedMs`: how far the clock had been moved when the key was made. */
  preset: (Pick<KeyDefinition, 'usage' | 'bannedForMs' | 'expiresInMs'> & { clockMovedMs: number }) | undefined;
  /** From the first refusal to the next served request or a ban. */
  episode: { firstRefusalMs: number; promisedAtSeconds: number } | undefined;
  /** How many episodes of refusals the key has had. */
  episodes: number;
  strikes: number;
  /** How many bans the key has had; decides the length of the next one where bans escalate. */
  bans: number;
  bannedFromMs: number;
  bannedUntilMs: number;
  banCause: BanCause;
  /** Up to which Unix second the requests of other clients with this key are counted. */
  backgroundSeconds: number;
}

type OptionalField = 'expiresAtMs' | 'preset' | 'episode';
type KeyFields = Omit<ApiKey, 'minute' | 'day' | OptionalField> & Partial<Pick<ApiKey, OptionalField>>;

/**
 * Copies a key with other windows: the one list of a key's fields, for copies, exports and imports. Fields are written out
 * because a spread takes ten times as long.
 */
export const withWindows = <WindowState>(key: KeyFields, minute: WindowState, day: WindowState) => ({
  key: key.key,
  plan: key.plan,
  state: key.state,
  expiresAtMs: key.expiresAtMs,
  minute,
  day,
  preset: key.preset && { ...key.preset, usage: { ...key.preset.usage } },
  episode: key.episode && { ...key.episode },
  episodes: key.episodes,
  strikes: key.strikes,
  bans: key.bans,
  bannedFromMs: key.bannedFromMs,
  bannedUntilMs: key.bannedUntilMs,
  banCause: key.banCause,
  backgroundSeconds: key.backgroundSeconds,
});

type BanSettings = Pick<
  LimitSettings,
  'banAfter' | 'banGraceMs' | 'banToleranceMs' | 'banSeconds' | 'banExtend' | 'banEscalation'
>;

/** @param clockMovedMs how far the clock has been moved by hand until now */
export function createApiKey(
  key: string,
  { plan, state, expiresAtMs, expiresInMs, usage, bannedForMs }: KeyDefinition,
  limits: PlanLimits,
  windowSeconds: PlanLimits,
  nowMs: number,
  clockMovedMs: number,
): ApiKey {
  const hasPreset = usage.minute + usage.day + bannedForMs > 0 || expiresInMs !== undefined;
  return {
    key,
    plan,
    state,
    expiresAtMs,
    minute: createWindow(limits.minute, windowSeconds.minute),
    day: createWindow(limits.day, windowSeconds.day),
    preset: hasPreset ? { usage, bannedForMs, expiresInMs, clockMovedMs } : undefined,
    episode: undefined,
    episodes: 0,
    strikes: 0,
    bans: 0,
    bannedFromMs: 0,
    bannedUntilMs: 0,
    banCause: 'set',
    backgroundSeconds: Math.floor(nowMs / 1000),
  };
}

/**
 * Applies what the scenario presets, at the first request of the key: real time that passes before it does not use up
 * the preset, time moved by hand does.
 */
export function applyPreset(key: ApiKey, algorithm: Algorithm, nowMs: number, clockMovedMs: number): void {
  const { preset } = key;
  if (preset === undefined) return;
  key.preset = undefined;
  const startMs = nowMs - Math.max(0, clockMovedMs - preset.clockMovedMs);
  const startSeconds = Math.floor(startMs / 1000);
  // What other clients used before is part of the preset.
  key.backgroundSeconds = Math.max(key.backgroundSeconds, startSeconds);
  if (preset.usage.minute > 0) algorithm.preset(key.minute, preset.usage.minute, startSeconds);
  if (preset.usage.day > 0) algorithm.preset(key.day, preset.usage.day, startSeconds);
  if (preset.bannedForMs > 0) startBan(key, startMs, preset.bannedForMs, 'set');
  if (preset.expiresInMs !== undefined) {
    key.expiresAtMs = Math.min(key.expiresAtMs ?? Number.POSITIVE_INFINITY, startMs + preset.expiresInMs);
  }
}

/** From now on the key gets 401. */
export const revoke = (key: ApiKey): void => {
  key.state = 'revoked';
};

/** Sets the requests used, in windows that start now. */
export function setUsage(key: ApiKey, algorithm: Algorithm, usage: Partial<PlanLimits>, nowMs: number): void {
  for (const name of ['minute', 'day'] as const) {
    const used = usage[name];
    if (used !== undefined) algorithm.preset(key[name], used, Math.floor(nowMs / 1000));
  }
}

/** Brings both windows up to date without counting, and forgets a ban and an episode that start after `nowMs`: the clock was set back. */
export function refresh(key: ApiKey, algorithm: Algorithm, nowMs: number): void {
  const nowSeconds = Math.floor(nowMs / 1000);
  algorithm.refresh(key.minute, nowSeconds);
  algorithm.refresh(key.day, nowSeconds);
  if (nowMs < key.bannedFromMs) liftBan(key);
  if (key.episode !== undefined && nowMs < key.episode.firstRefusalMs) endEpisode(key);
}

/** Counts served requests in both windows, which ends the episode and clears the strikes. */
export function countServed(key: ApiKey, algorithm: Algorithm, nowSeconds: number): void {
  countBoth(key, algorithm, nowSeconds, 1);
  endEpisode(key);
}

/** Counts a refused request where the assumption `rejectedCounts` says so; that may use up the other window too. */
export function countRefused(
  key: ApiKey,
  algorithm: Algorithm,
  rejectedCounts: LimitSettings['rejectedCounts'],
  nowSeconds: number,
): void {
  if (rejectedCounts === 'none') return;
  const windows = [key.minute, key.day];
  const counting = rejectedCounts === 'all' ? windows : windows.filter((window) => window.remaining > 0);
  for (const window of counting) algorithm.count(window, nowSeconds);
}

/**
 * Notes a refused request. It is a strike when it comes more than the grace after the first refusal of the episode and
 * earlier, by more than the tolerance, than the promise that the key was given last. Enough strikes ban the key.
 * @param promisedAtSeconds when the key will be served again, as this answer says
 */
export function noteRefusal(
  key: ApiKey,
  settings: BanSettings,
  nowMs: number,
  promisedAtSeconds: number,
): 'refused' | 'strike' | 'ban' {
  const { episode } = key;
  if (episode === undefined) {
    key.episode = { firstRefusalMs: nowMs, promisedAtSeconds };
    key.episodes++;
    return 'refused';
  }
  const pastGrace = nowMs > episode.firstRefusalMs + settings.banGraceMs;
  const isEarly = nowMs < episode.promisedAtSeconds * 1000 - settings.banToleranceMs;
  episode.promisedAtSeconds = promisedAtSeconds;
  if (!pastGrace || !isEarly) return 'refused';
  key.strikes++;
  if (settings.banAfter === 0 || key.strikes < settings.banAfter) return 'strike';
  startBan(key, nowMs, banLengthMs(settings, key.bans + 1), 'strikes');
  return 'ban';
}

/** Bans a key. Bans start at a whole second, so that Retry-After can tell their end exactly. */
export function startBan(key: ApiKey, nowMs: number, lengthMs: number, cause: BanCause): void {
  const fromMs = Math.floor(nowMs / 1000) * 1000;
  key.bans++;
  key.bannedFromMs = fromMs;
  key.bannedUntilMs = fromMs + lengthMs;
  key.banCause = cause;
  key.episode = undefined;
  if (key.preset !== undefined) key.preset = { ...key.preset, bannedForMs: 0 };
}

/** A request during a ban starts the ban again where the assumption `banExtend` says so. */
export function extendBan(key: ApiKey, settings: BanSettings, nowMs: number): void {
  if (!settings.banExtend) return;
  const untilMs = Math.floor(nowMs / 1000) * 1000 + banLengthMs(settings, key.bans);
  key.bannedUntilMs = Math.max(key.bannedUntilMs, untilMs);
}

/** Ends a ban and clears the strikes; a ban that the scenario presets does not start any more. */
export function liftBan(key: ApiKey): void {
  key.bannedFromMs = 0;
  key.bannedUntilMs = 0;
  key.strikes = 0;
  if (key.preset !== undefined) key.preset = { ...key.preset, bannedForMs: 0 };
}

/** How far back the requests of other clients are counted one second at a time; the time before is estimated. */
const exactBackgroundSeconds = 8 * 86_400;

/**
 * Counts what other clients have used with this key until now.
 * @param perSecond their requests a second
 */
export function applyBackground(key: ApiKey, algorithm: Algorithm, perSecond: number, nowMs: number): void {
  const nowSeconds = Math.floor(nowMs / 1000);
  let second = key.backgroundSeconds;
  key.backgroundSeconds = nowSeconds;
  const start = nowSeconds - exactBackgroundSeconds;
  if (second < start) {
    const servedPerSecond = Math.min(perSecond, key.minute.limit / key.minute.lengthSeconds);
    const seconds = Math.min(start - second, key.day.lengthSeconds);
    countBackground(key, algorithm, start, Math.floor(servedPerSecond * seconds), 'day');
    second = start;
  }
  while (++second <= nowSeconds) {
    const requests = Math.floor(perSecond * second) - Math.floor(perSecond * (second - 1));
    // During a ban nobody is served.
    if (requests === 0 || second * 1000 < key.bannedUntilMs) continue;
    countBackground(key, algorithm, second, requests);
    // Nothing is served before the reset, so the seconds before it can be skipped.
    if (key.minute.remaining === 0) second = Math.max(second, key.minute.resetAtSeconds - 1);
    if (key.day.remaining === 0) second = Math.max(second, key.day.resetAtSeconds - 1);
  }
}

function countBackground(key: ApiKey, algorithm: Algorithm, second: number, requests: number, only?: 'day'): void {
  const { minute, day } = key;
  algorithm.refresh(minute, second);
  algorithm.refresh(day, second);
  const served = Math.min(requests, day.remaining, only === undefined ? minute.remaining : Number.POSITIVE_INFINITY);
  if (served <= 0) return;
  if (only === undefined) countBoth(key, algorithm, second, served);
  else algorithm.count(day, second, served);
}

function countBoth(key: ApiKey, algorithm: Algorithm, nowSeconds: number, requests: number): void {
  algorithm.count(key.minute, nowSeconds, requests);
  algorithm.count(key.day, nowSeconds, requests);
}

function endEpisode(key: ApiKey): void {
  key.episode = undefined;
  key.strikes = 0;
}

/** How long the n-th ban of a key lasts, in whole seconds. */
function banLengthMs({ banSeconds, banEscalation }: BanSettings, n: number): number {
  if (banEscalation === false) return banSeconds * 1000;
  return Math.ceil(Math.min(banSeconds * banEscalation.factor ** (n - 1), banEscalation.maxSeconds)) * 1000;
}
