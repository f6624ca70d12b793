import type { WindowName } from '../requests/request-record.js';
import type { PlanLimits, WindowLengths } from './plan-limits.js';
import type { LimitSettings } from './settings.js';
import { type Algorithm, createWindow, type Window } from './window.js';

/** An API key, as defined in a scenario. */
export interface KeyDefinition {
  plan: string;
  state: 'active' | 'revoked';
  /** Expiry time of the key. From then on, the key's requests get 401. */
  expiresAtMs?: number | undefined;
  /** Time from the key's first request to its expiry. If `expiresAtMs` is earlier, the key expires then. */
  expiresInMs?: number | undefined;
  /** Requests that count as used at the key's first request, by window. */
  usage: Readonly<Record<WindowName, number>>;
  /** Length of the ban with which a key starts, counted from the key's first request; 0 for no ban. */
  bannedForMs: number;
}

/** Cause of a key's ban: `strikes`, or `set` by a scenario or a control request. */
export type BanCause = 'strikes' | 'set';

/**
 * State of one API key, as plain data without methods. Times are Unix milliseconds, unless the field name ends with
 * `Seconds`.
 */
export interface ApiKey {
  readonly key: string;
  readonly plan: string;
  state: 'active' | 'revoked';
  expiresAtMs: number | undefined;
  /** Windows that the key's plan limits, in the scenario's order; at least one. */
  readonly windows: readonly Window[];
  /**
   * Initial usage, ban and expiry that the scenario sets for the key. The key's first request applies them, and sets
   * `preset` to `undefined`. `clockMovedMs`: time by which the clock had been moved when the key was created, in
   * milliseconds.
   */
  preset: (Pick<KeyDefinition, 'usage' | 'bannedForMs' | 'expiresInMs'> & { clockMovedMs: number }) | undefined;
  /**
   * Current refusal episode of the key, or `undefined`. An episode starts with a rate-limited request and ends with an
   * accepted request or a ban. `promises`: retry times that bind requests of at least a cost, by this cost; missing if
   * each refused request cost one.
   */
  episode:
    | {
        firstRefusalMs: number;
        promisedAtSeconds: number;
        promises?: [cost: number, promisedAtSeconds: number][] | undefined;
      }
    | undefined;
  /** Number of refusal episodes of the key. An episode is a series of rate-limited requests without an accepted one. */
  episodes: number;
  strikes: number;
  /** Number of the key's bans so far. If the scenario escalates bans, the number determines the next ban's length. */
  bans: number;
  bannedFromMs: number;
  bannedUntilMs: number;
  banCause: BanCause;
  /** Time up to which simulated requests of other clients with this key are already counted. */
  backgroundSeconds: number;
}

type OptionalField = 'expiresAtMs' | 'preset' | 'episode';
type KeyFields = Omit<ApiKey, 'windows' | OptionalField> & Partial<Pick<ApiKey, OptionalField>>;

/**
 * Copies a key's fields and sets its windows. Lists the fields, because an object spread takes ten times as long.
 */
export const withWindows = (key: KeyFields, windows: readonly Window[]): ApiKey => ({
  key: key.key,
  plan: key.plan,
  state: key.state,
  expiresAtMs: key.expiresAtMs,
  windows,
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

/**
 * Creates a key's state. The key's first request applies the scenario's initial usage, ban and expiry.
 * @param clockMovedMs time by which the simulator's clock was moved so far
 */
export function createApiKey(
  key: string,
  { plan, state, expiresAtMs, expiresInMs, usage, bannedForMs }: KeyDefinition,
  limits: PlanLimits,
  windowSeconds: WindowLengths,
  nowMs: number,
  clockMovedMs: number,
): ApiKey {
  const isUsed = Object.values(usage).some((used) => used > 0);
  const hasPreset = isUsed || bannedForMs > 0 || expiresInMs !== undefined;
  return {
    key,
    plan,
    state,
    expiresAtMs,
    windows: Object.entries(limits).map(([name, limit]) => createWindow(name, limit, windowSeconds[name] as number)),
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
 * Applies the scenario's initial usage, ban and expiry of an API key at the key's first request. Time skipped before by
 * `advance` or `set` of the clock shortens windows and ban; real time does not.
 */
export function applyPreset(key: ApiKey, algorithm: Algorithm, nowMs: number, clockMovedMs: number): void {
  const { preset } = key;
  if (preset === undefined) return;
  key.preset = undefined;
  const startMs = nowMs - Math.max(0, clockMovedMs - preset.clockMovedMs);
  const startSeconds = Math.floor(startMs / 1000);
  // The API key's usage in the scenario already includes earlier requests of other simulated clients.
  key.backgroundSeconds = Math.max(key.backgroundSeconds, startSeconds);
  for (const window of key.windows) {
    const used = preset.usage[window.name] ?? 0;
    if (used > 0) algorithm.preset(window, used, startSeconds);
  }
  if (preset.bannedForMs > 0) startBan(key, startMs, preset.bannedForMs, 'set');
  if (preset.expiresInMs !== undefined) {
    key.expiresAtMs = Math.min(key.expiresAtMs ?? Number.POSITIVE_INFINITY, startMs + preset.expiresInMs);
  }
}

/** Sets a key's used requests per window. Each changed window starts at `nowMs`. */
export function setUsage(key: ApiKey, algorithm: Algorithm, usage: Partial<PlanLimits>, nowMs: number): void {
  for (const window of key.windows) {
    const used = usage[window.name];
    if (used !== undefined) algorithm.preset(window, used, Math.floor(nowMs / 1000));
  }
}

/** Finds a key's window by its name. */
export const windowOf = ({ windows }: Pick<ApiKey, 'windows'>, name: WindowName): Window | undefined =>
  windows.find((window) => window.name === name);

/**
 * Updates a key's windows to the current time, without counting a request. If the clock was set back,
 * removes a ban, or a series of rate-limited requests, that starts after `nowMs`.
 */
export function refresh(key: ApiKey, algorithm: Algorithm, nowMs: number): void {
  const nowSeconds = Math.floor(nowMs / 1000);
  const { windows } = key;
  for (let index = 0; index < windows.length; index++) algorithm.refresh(windows[index] as Window, nowSeconds);
  if (nowMs < key.bannedFromMs) liftBan(key);
  if (key.episode !== undefined && nowMs < key.episode.firstRefusalMs) endEpisode(key);
}

/**
 * Counts an accepted request in the windows of an API key, ends the key's series of refusals and clears
 * the strikes, unless a dearer request still has to wait.
 */
export function countServed(key: ApiKey, algorithm: Algorithm, nowSeconds: number, cost = 1): void {
  countAll(key, algorithm, nowSeconds, cost);
  const { episode } = key;
  const promises = episode?.promises?.filter(([refused, atSeconds]) => refused > cost && atSeconds > nowSeconds);
  if (episode === undefined || promises === undefined || promises.length === 0) endEpisode(key);
  else key.episode = { ...episode, promises };
}

/** Counts the rest of a cost that only the response states. Usage may exceed the limit. */
export function countLater(key: ApiKey, algorithm: Algorithm, nowMs: number, more: number): void {
  refresh(key, algorithm, nowMs);
  countAll(key, algorithm, Math.floor(nowMs / 1000), more);
}

/**
 * Counts a refused request in the key's windows that the setting `rejectedCounts` selects. Refusals by the minute limit
 * can thus use up the day window.
 */
export function countRefused(
  key: ApiKey,
  algorithm: Algorithm,
  rejectedCounts: LimitSettings['rejectedCounts'],
  nowSeconds: number,
  cost = 1,
): void {
  if (rejectedCounts === 'none') return;
  const { windows } = key;
  const counting = rejectedCounts === 'all' ? windows : windows.filter((window) => window.remaining >= cost);
  for (const window of counting) algorithm.count(window, nowSeconds, cost);
}

/**
 * Records a rate-limited request of a key. The request is a strike if sent after the grace period but before the retry
 * time of the last 429. Enough strikes ban the key.
 * @param promisedAtSeconds retry time that the response to this request states
 * @param cost cost of the request. A refusal binds only requests that cost as much
 */
export function recordRefusal(
  key: ApiKey,
  settings: BanSettings,
  nowMs: number,
  promisedAtSeconds: number,
  cost = 1,
): 'refused' | 'strike' | 'ban' {
  const { episode } = key;
  if (episode === undefined) {
    key.episode = { firstRefusalMs: nowMs, promisedAtSeconds };
    if (cost !== 1) key.episode.promises = [[cost, promisedAtSeconds]];
    key.episodes++;
    return 'refused';
  }
  const pastGrace = nowMs > episode.firstRefusalMs + settings.banGraceMs;
  const { promises } = episode;
  const boundUntilSeconds =
    promises === undefined && cost >= 1
      ? episode.promisedAtSeconds
      : Math.max(0, ...(promises ?? []).map(([refused, atSeconds]) => (refused <= cost ? atSeconds : 0)));
  const isEarly = nowMs < boundUntilSeconds * 1000 - settings.banToleranceMs;
  if (promises !== undefined || cost !== 1) {
    const before = promises ?? [[1, episode.promisedAtSeconds] as const];
    episode.promises = [...before.filter(([refused]) => refused !== cost), [cost, promisedAtSeconds]];
  }
  episode.promisedAtSeconds = promisedAtSeconds;
  if (!pastGrace || !isEarly) return 'refused';
  key.strikes++;
  if (settings.banAfter === 0 || key.strikes < settings.banAfter) return 'strike';
  startBan(key, nowMs, banLengthMs(settings, key.bans + 1), 'strikes');
  return 'ban';
}

/** Bans a key. The ban starts at a whole second, so that Retry-After (in seconds) states the ban's end exactly. */
export function startBan(key: ApiKey, nowMs: number, lengthMs: number, cause: BanCause): void {
  const fromMs = Math.floor(nowMs / 1000) * 1000;
  key.bans++;
  key.bannedFromMs = fromMs;
  key.bannedUntilMs = fromMs + lengthMs;
  key.banCause = cause;
  key.episode = undefined;
  cancelPresetBan(key);
}

/**
 * Restarts a key's running ban after a request, if the assumption `banExtend` is set. The new length is that of a ban by
 * strikes, whoever set the running one, because a preset ban states only how long it lasts. No request shortens a ban.
 */
export function extendBan(key: ApiKey, settings: BanSettings, nowMs: number): void {
  if (!settings.banExtend) return;
  const untilMs = Math.floor(nowMs / 1000) * 1000 + banLengthMs(settings, key.bans);
  key.bannedUntilMs = Math.max(key.bannedUntilMs, untilMs);
}

/**
 * Lifts a key's ban, ends its series of refusals, clears its strikes and cancels a ban preset by the scenario. The next
 * refusal is thus the first of a series, which is no strike.
 */
export function liftBan(key: ApiKey): void {
  key.bannedFromMs = 0;
  key.bannedUntilMs = 0;
  endEpisode(key);
  cancelPresetBan(key);
}

function cancelPresetBan(key: ApiKey): void {
  if (key.preset !== undefined) key.preset = { ...key.preset, bannedForMs: 0 };
}

/**
 * Maximum period for which simulated requests of other clients are counted second by second. Usage before the period is
 * estimated.
 */
const exactBackgroundSeconds = 8 * 86_400;

/**
 * Charges simulated requests of other clients to the rate limits of an API key, until the time `nowMs`.
 * @param perSecond number of other clients' requests per second
 */
export function applyBackground(key: ApiKey, algorithm: Algorithm, perSecond: number, nowMs: number): void {
  const nowSeconds = Math.floor(nowMs / 1000);
  let second = key.backgroundSeconds;
  key.backgroundSeconds = nowSeconds;
  const start = nowSeconds - exactBackgroundSeconds;
  if (second < start) {
    estimateBackground(key, algorithm, perSecond, second, start);
    second = start;
  }
  while (++second <= nowSeconds) {
    const requests = Math.floor(perSecond * second) - Math.floor(perSecond * (second - 1));
    // Simulated requests of other clients use no quota while their API key is banned.
    if (requests === 0 || second * 1000 < key.bannedUntilMs) continue;
    countBackground(key, algorithm, second, requests);
    // Skips to the reset of an exhausted rate-limit window. All simulated requests until the reset are refused and not
    // counted.
    for (const { remaining, resetAtSeconds } of key.windows) {
      if (remaining === 0) second = Math.max(second, resetAtSeconds - 1);
    }
  }
}

/**
 * Estimates the usage of a key's windows by other clients from `fromSecond` to `toSecond`. Each window's requests are
 * bounded by the limits of all shorter windows. Omits the shortest window, which then has ended.
 */
function estimateBackground(
  { windows }: ApiKey,
  algorithm: Algorithm,
  perSecond: number,
  fromSecond: number,
  toSecond: number,
): void {
  let servedPerSecond = perSecond;
  for (const [index, window] of windows.toSorted((a, b) => a.lengthSeconds - b.lengthSeconds).entries()) {
    algorithm.refresh(window, toSecond);
    const requests = Math.floor(servedPerSecond * Math.min(toSecond - fromSecond, window.lengthSeconds));
    const served = Math.min(requests, window.remaining);
    if (index > 0 && served > 0) algorithm.count(window, toSecond, served);
    servedPerSecond = Math.min(servedPerSecond, window.limit / window.lengthSeconds);
  }
}

function countBackground(key: ApiKey, algorithm: Algorithm, second: number, requests: number): void {
  for (const window of key.windows) algorithm.refresh(window, second);
  const served = Math.min(requests, ...key.windows.map(({ remaining }) => remaining));
  if (served > 0) countAll(key, algorithm, second, served);
}

function countAll({ windows }: ApiKey, algorithm: Algorithm, nowSeconds: number, requests: number): void {
  for (let index = 0; index < windows.length; index++) algorithm.count(windows[index] as Window, nowSeconds, requests);
}

function endEpisode(key: ApiKey): void {
  key.episode = undefined;
  key.strikes = 0;
}

/** Length of a key's n-th ban. Always a whole number of seconds. */
export function banLengthMs(
  { banSeconds, banEscalation }: Pick<BanSettings, 'banSeconds' | 'banEscalation'>,
  n: number,
): number {
  if (banEscalation === false) return banSeconds * 1000;
  return Math.ceil(Math.min(banSeconds * banEscalation.factor ** (n - 1), banEscalation.maxSeconds)) * 1000;
}
