import type { Choice, Open } from '../rate-limits/settings.js';
import type { Output } from '../validation/schema.js';
import type { AssumptionId, Settings } from './settings.js';

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

/** Conditions of a fault rule whose validity depends on the service's operations. */
type CheckedConditions = { operation?: readonly string[] | undefined; method?: string | undefined } & {
  [Name in keyof ServiceConditions]?: Output<ServiceConditions[Name]> | undefined;
};

/** Parts of the scenario schema that the main service (the Petstore) defines. */
export interface ServiceSchema {
  /** Names of the operations of the main service (the Petstore) that a scenario may use, such as `listPets`. */
  readonly operations: readonly string[];
  readonly fields: ServiceFields;
  readonly conditions: ServiceConditions;
  /** Whether at least one operation can match a fault rule's conditions. */
  canMatch(when: CheckedConditions): boolean;
  /** Description of the conditions that a fault rule can have, for the error message if `canMatch` returns `false`. */
  readonly matching: string;
  /** Default of each scenario setting, and its alternatives if only certain values are allowed. */
  readonly settings: { readonly [Id in AssumptionId]: Open<Settings[Id]> | Choice<Settings[Id]> };
}
