import type { PlanLimits } from '../rate-limits/plan-limits.js';
import type { Issue } from '../validation/issue.js';
import type { Steps } from '../values/steps.js';
import { createFaultSchema, type FaultSchema } from './fault-schema.js';
import type { ReadStart } from './read-start.js';
import { type CheckedScenario, createScenarioSchema, type Scenario, type ScenarioSchema } from './scenario-schema.js';
import type { ServiceContent, ServiceSchema } from './service-schema.js';
import type { Settings } from './settings.js';

/**
 * Functions without which a scenario with certain fields cannot be resolved. The main service (the Petstore) adds more
 * functions by declaration merging.
 */
export interface ResolveOptions {
  /**
   * Function that reads the field `state` of a scenario: `readStart` of `petstore-sim/control`. Scenarios without this
   * field do not need the function.
   */
  readStart?: ReadStart | undefined;
}

/** Parts of a scenario that the simulator's main service defines. */
export interface ServiceScenario extends ServiceSchema {
  /** Default scenario, with which every scenario is merged. */
  readonly base: Scenario;
  /** Default values of all scenario settings. */
  readonly defaults: Settings;
  /** Limits of the plans in the interface document, by name. */
  readonly plans: Readonly<Record<string, PlanLimits>>;
  /**
   * Resolves the scenario fields that belong to the service, such as its initial data. Adds an issue for each mistake.
   */
  resolve(
    checked: CheckedScenario,
    context: { readonly seed: number; readonly settings: Settings; readonly options: ResolveOptions },
    issues: Issue[],
  ): Steps<ServiceContent>;
}

/** Schemas and defaults for the scenarios of a simulator's main service. */
export interface ScenarioRules extends ServiceScenario {
  readonly schema: ScenarioSchema;
  readonly faultSchema: FaultSchema;
}

export function createScenarioRules(service: ServiceScenario): ScenarioRules {
  const faultSchema = createFaultSchema(service);
  return { ...service, faultSchema, schema: createScenarioSchema(service, faultSchema) };
}
