import type { Choice, Open } from '../rate-limits/settings.js';
import type { Output } from '../validation/schema.js';
import type { AssumptionId, Settings } from './settings.js';

/** Schemas of the scenario fields of the main service, which the service adds by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceFields {}

/** Schemas of the fault-rule conditions of the main service, which the service adds by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceConditions {}

/** Values in a resolved scenario that the main service adds by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: the main service adds members by declaration merging
export interface ServiceContent {}

/** Conditions of a fault rule that depend on the operations. */
type CheckedConditions = { operation?: readonly string[] | undefined; method?: string | undefined } & {
  [Name in keyof ServiceConditions]?: Output<ServiceConditions[Name]> | undefined;
};

/** Parts of the scenario schema that the main service defines. */
export interface ServiceSchema {
  /** Names of the operations. */
  readonly operations: readonly string[];
  readonly fields: ServiceFields;
  readonly conditions: ServiceConditions;
  /** Whether one operation can match the conditions of a fault rule. */
  canMatch(when: CheckedConditions): boolean;
  /** Expected conditions, for the message if `canMatch` returns `false`. */
  readonly matching: string;
  /** Values of all settings, in the order of lists. */
  readonly settings: { readonly [Id in AssumptionId]: Open<Settings[Id]> | Choice<Settings[Id]> };
}
