import type { PlanLimits } from '../rate-limits/plan-limits.js';
import type { Issue } from '../validation/issue.js';
import type { Steps } from '../values/steps.js';
import { createFaultSchema, type FaultSchema } from './fault-schema.js';
import type { ReadStart } from './read-start.js';
import { type CheckedScenario, createScenarioSchema, type Scenario, type ScenarioSchema } from './scenario-schema.js';
import type { ServiceContent, ServiceSchema } from './service-schema.js';
import type { Settings } from './settings.js';

/** Functions that some scenarios require. The main service adds its own by declaration merging. */
export interface ResolveOptions {
  /** `readStart` of `petstore-sim/control`. Required only for a scenario with `state`. */
  readStart?: ReadStart | undefined;
}

/** Parts of a scenario that the main service defines. */
export interface ServiceScenario extends ServiceSchema {
  /** Default scenario, the base of every scenario. */
  readonly base: Scenario;
  /** Default value of every setting. */
  readonly defaults: Settings;
  /** Limits of the documented plans. */
  readonly plans: Readonly<Record<string, PlanLimits>>;
  /** Resolves the fields of the service. Adds an issue for each mistake. */
  resolve(
    checked: CheckedScenario,
    context: { readonly seed: number; readonly settings: Settings; readonly options: ResolveOptions },
    issues: Issue[],
  ): Steps<ServiceContent>;
}

/** Schemas and defaults of the scenarios of one main service. */
export interface ScenarioRules extends ServiceScenario {
  readonly schema: ScenarioSchema;
  readonly faultSchema: FaultSchema;
}

export function createScenarioRules(service: ServiceScenario): ScenarioRules {
  const faultSchema = createFaultSchema(service);
  return { ...service, faultSchema, schema: createScenarioSchema(service, faultSchema) };
}
