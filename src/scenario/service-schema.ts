import type { Choice, Open } from '../rate-limits/settings.js';
import type { OperationRows } from '../requests/service.js';
import type { SettingId, Settings } from './settings.js';

/**
 * Schemas of the scenario fields that only the simulated API (the Petstore) has. The interface is empty, because the
 * Petstore's modules add the members by TypeScript's declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceFields {}

/**
 * Schemas of additional fault-rule conditions, which the main service (the Petstore) declares in this interface by
 * declaration merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceConditions {}

/**
 * Values that the simulated API contributes to a resolved scenario (a scenario with all defaults and checked values),
 * such as the list of pets. The Petstore's module declares these values in this interface by TypeScript declaration
 * merging.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceContent {}

/** Parts of the scenario schema that the main service (the Petstore) defines. */
export interface ServiceSchema {
  /** Operations of the main service (the Petstore) that a scenario may name, such as `listPets`. */
  readonly rows: OperationRows;
  /** Path prefix of the main service's operations, which scenarios may omit: `/v1`. */
  readonly basePath: string;
  readonly fields: ServiceFields;
  readonly conditions: ServiceConditions;
  /** Default of each scenario setting, and its alternatives if only certain values are allowed. */
  readonly settings: { readonly [Id in SettingId]: Open<Settings[Id]> | Choice<Settings[Id]> };
}
