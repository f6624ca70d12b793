import type { Settings } from '../contract/assumptions.js';
import type { ApiKey } from './keys.js';

type BanSettings = Pick<
  Settings,
  'banAfter' | 'banGraceMs' | 'banToleranceMs' | 'banSeconds' | 'banExtend' | 'banEscalation'
>;

export const isBanned = (key: ApiKey, nowMs: number) => nowMs < key.bannedUntilMs;

/** Bans a key until an instant, whoever decided it. */
export function startBan(key: ApiKey, untilMs: number): void {
  key.bans++;
  key.bannedUntilMs = untilMs;
  key.episode = undefined;
}

/** A request during a ban: it is not counted, and it starts the ban again only under `banExtend`. */
export function hitBan(key: ApiKey, settings: BanSettings, nowMs: number): void {
  if (settings.banExtend) key.bannedUntilMs = Math.max(key.bannedUntilMs, banEnd(settings, key.bans, nowMs));
}

/**
 * Notes a refused request. It is a strike when it comes more than the grace after the first refusal of the episode and
 * earlier, by more than the tolerance, than the promise that the key was last given.
 * @param promisedAtSeconds when the key will be served again, as this answer will tell it
 * @returns whether the refusal banned the key
 */
export function noteRefusal(key: ApiKey, settings: BanSettings, nowMs: number, promisedAtSeconds: number): boolean {
  const { episode } = key;
  if (episode === undefined) {
    key.episode = { firstRefusalMs: nowMs, promisedAtSeconds };
    key.episodes++;
    return false;
  }
  const pastGrace = nowMs > episode.firstRefusalMs + settings.banGraceMs;
  const early = nowMs < episode.promisedAtSeconds * 1000 - settings.banToleranceMs;
  episode.promisedAtSeconds = promisedAtSeconds;
  if (!pastGrace || !early) return false;
  key.strikes++;
  if (settings.banAfter === 0 || key.strikes < settings.banAfter) return false;
  startBan(key, banEnd(settings, key.bans + 1, nowMs));
  return true;
}

/** A served request ends the episode and clears the strikes. */
export function noteServed(key: ApiKey): void {
  key.episode = undefined;
  key.strikes = 0;
}

/** When a banned key will be served again: not before every window that is still exhausted has reset too. */
export function banPromiseSeconds(key: ApiKey): number {
  const resets = [key.minute, key.day]
    .filter(({ remaining }) => remaining === 0)
    .map((window) => window.resetAtSeconds);
  return Math.max(Math.ceil(key.bannedUntilMs / 1000), ...resets);
}

/** When the n-th ban of a key ends. Bans start at a whole second, so that their end can be told exactly. */
function banEnd({ banSeconds, banEscalation }: BanSettings, n: number, nowMs: number): number {
  const seconds =
    banEscalation === false
      ? banSeconds
      : Math.min(banSeconds * banEscalation.factor ** (n - 1), banEscalation.maxSeconds);
  return (Math.floor(nowMs / 1000) + Math.ceil(seconds)) * 1000;
}
