import type { ApiCall } from '../requests/api-call.js';
import type { Outcome } from '../requests/outcome.js';
import type { Int64 } from '../values/int64.js';
import type { JsonValue } from '../values/json.js';
import type { PetStore } from './pet-store.js';
import type { Settings } from './settings.js';

/** Data and settings with which a Petstore operation runs. */
export interface OperationContext {
  pets: PetStore;
  categories: ReadonlySet<Int64>;
  settings: Settings;
}

/**
 * An operation of the Petstore API: checks the request, changes or reads the pets, and returns the outcome.
 * @throws {ApiError} for every documented error
 */
export type Operation = (call: ApiCall, context: OperationContext, petId: string) => Outcome;

/** Describes a rejected JSON value for an error message, by its type and, if short, by the value itself. */
export function describe(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the string ${quote(value)}`;
  if (typeof value === 'boolean') return String(value);
  return `the number ${value}`;
}

/** Quotes a text for an error message, cut to 40 characters. */
export const quote = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
