import { type Choice, choice, limitSettings, open, type ValueOf } from '../rate-limits/settings.js';
import type { ErrorCode } from '../requests/error-codes.js';

/** Settings for every point that the document leaves open, default first. The questions are in assumptions.ts. */
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
  bodyTooLarge: choice('payload-too-large'),
  unknownRoute: choice('not-found'),
  unknownMethod: choice('method-not-allowed', 'not-found'),
  errorCodes: open<Partial<Record<ErrorCode, string>>>({}),
  ...limitSettings,
  deprecation: choice('silent', 'headers'),
  afterRemoval: choice('not-found', 'gone', 'keep'),
  cors: open<'loopback' | 'hidden' | 'off' | readonly string[]>('loopback'),
};

export type AssumptionId = keyof typeof settingValues;

/** Ids of assumptions with a closed set of values. */
export type ChoiceId = {
  [Id in AssumptionId]: (typeof settingValues)[Id] extends Choice<unknown> ? Id : never;
}[AssumptionId];

/** Settings of a simulator: one value per assumption. */
export type Settings = { -readonly [Id in AssumptionId]: ValueOf<(typeof settingValues)[Id]> };

/** Default value of every assumption. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [id, value.default]),
) as unknown as Settings;
