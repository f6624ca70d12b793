import type { SettingId } from '../../petstore/settings.js';
import type { Knowledge } from './observation.js';

const aPet = 'a POST that may store a pet (--write)';
const aRefusal = 'one refusal, at the end of a window (--allow-exhaust)';
const aBan = 'a ban of the key (--allow-ban)';
const moreBans = 'several bans of the key (--allow-ban, with a larger --budget)';
const aLongBan = 'a ban of the key that ends after the window (--allow-ban)';

/**
 * Conditions under which `calibrate` can answer an open question about the real API, such as a test request or a
 * permission, in words. Default: `one request`.
 */
const costs: Partial<Record<SettingId, string>> = {
  defaultStatus: aPet,
  unknownCategory: aPet,
  unknownFields: aPet,
  emptyName: aPet,
  contentType: aPet,
  unknownQuery: "a request with a made-up parameter (calibrate with a URL); recorded ones may be the service's own",
  listOrder: 'a service with at least ten pets',
  paging: 'a service with more than one pet',
  limitsApply: 'a request to each operation, createPet among them (--write)',
  enterpriseLimits: 'a key whose plan is Enterprise, and the day window shown',
  algorithm: 'an operation that is counted, and a minute window that the headers show',
  windowStart: 'the reset times of two fixed windows in the headers',
  rejectedCounts: 'one refusal (--allow-exhaust), and a day window that the headers show',
  reportedWindow: 'a time at which fewer requests remain for the day than for the minute',
  retryAfterForm: aRefusal,
  banAfter: aBan,
  banSeconds: aLongBan,
  banExtend: aLongBan,
  banStatus: aBan,
  banGraceMs: moreBans,
  banToleranceMs: moreBans,
  banEscalation: moreBans,
  afterRemoval: 'a request on or after 5 December 2030',
  deprecation: 'a service with a pet',
  cors: 'the origin of a web page that the service allows (ask the owner of the service)',
};

/** Formats a value for users: words without quotes, other values as JSON. */
export const shownValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Describes a question about the real API's behavior that `calibrate` could not answer yet: the possible answers, and
 * the requests or permissions that would decide.
 */
export function describeUnknown({ about, left }: Knowledge): string {
  const values = left.length > 0 ? `${left.map(shownValue).join(' or ')}; ` : '';
  return `${values}to know: ${costs[about as SettingId] ?? 'one request'}`;
}
