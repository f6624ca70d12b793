import type { PlanLimits } from '../rate-limits/plan-limits.js';
import type { Issue } from '../validation/issue.js';
import type { Steps } from '../values/steps.js';
import { createFaultSchema, type FaultSchema } from './fault-schema.js';
import type { ReadStart } from './read-start.js';
import { type CheckedScenario, createScenarioSchema, type Scenario, type ScenarioSchema } from './scenario-schema.js';
import type { ServiceContent, ServiceSchema } from './service-schema.js';
import type { Settings } from './settings.js';

/** Functions that read scenario fields which most scenarios lack. Example: `readStart` reads the field `state`. */
export interface ResolveOptions {
  /**
   * Function that reads the scenario field `state`, the exact state of API keys and fault rules in an exported
   * scenario. Pass `readStart` of `petstore-sim/control`. Required only for scenarios with this field.
   */
  readStart?: ReadStart | undefined;
}

/** Parts of the scenario format that the simulated API, such as the Petstore, defines. */
export interface ServiceScenario extends ServiceSchema {
  /** Default scenario, with which every scenario is merged. */
  readonly base: Scenario;
  /** Default values of all scenario settings. */
  readonly defaults: Settings;
  /** Limits per minute and per day of each plan in the API's documentation, by plan name. */
  readonly plans: Readonly<Record<string, PlanLimits>>;
  /**
   * Checks and completes the scenario fields of the main API (the Petstore), such as its initial pets. Adds an issue to
   * `issues` for each mistake.
   */
  resolve(
    checked: CheckedScenario,
    context: { readonly seed: number; readonly settings: Settings; readonly options: ResolveOptions },
    issues: Issue[],
  ): Steps<ServiceContent>;
}

/** Schemas and default values for the scenarios of the main API that a simulator serves, such as the Petstore. */
export interface ScenarioRules extends ServiceScenario {
  readonly schema: ScenarioSchema;
  readonly faultSchema: FaultSchema;
}

export function createScenarioRules(service: ServiceScenario): ScenarioRules {
  const faultSchema = createFaultSchema(service);
  return { ...service, faultSchema, schema: createScenarioSchema(service, faultSchema) };
}
