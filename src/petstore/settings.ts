import { type Choice, choice, limitSettings, open } from '../rate-limits/settings.js';
import type { AllowedOrigins, ErrorCodeNames, SettingId, Settings } from '../scenario/settings.js';

export type { SettingId, Settings };

/**
 * Values of the settings, for points that the API's documentation leaves open. The first value of each is the default.
 * The questions are in assumptions.ts.
 */
export const settingValues = {
  defaultStatus: choice('available', 'pending', 'sold', 'absent'),
  unknownCategory: choice('accept', 'reject'),
  unknownFields: choice('ignore', 'reject', 'echo'),
  emptyName: choice('accept', 'reject'),
  listOrder: choice('id-ascending', 'newest-first', 'shuffled'),
  paging: choice('none', 'cursor', 'offset', 'page'),
  limitOutOfRange: choice('reject', 'clamp', 'default'),
  unknownStatusFilter: choice('reject', 'empty', 'ignore'),
  unknownQuery: choice('ignore', 'reject'),
  malformedPetId: choice('not-found', 'reject'),
  contentType: choice('reject', 'accept', 'unsupported'),
  unknownMethod: choice('method-not-allowed', 'not-found'),
  errorCodes: open<ErrorCodeNames>({}),
  ...limitSettings,
  deprecation: choice('silent', 'headers'),
  afterRemoval: choice('not-found', 'gone', 'keep'),
  cors: open<AllowedOrigins>('loopback'),
};

/** Ids of the settings that allow only listed values. */
export type ChoiceId = {
  [Id in SettingId]: (typeof settingValues)[Id] extends Choice<unknown> ? Id : never;
}[SettingId];

/** Default values of all settings, by id. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [id, value.default]),
) as unknown as Settings;
