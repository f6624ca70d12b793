export { type Assumption, type AssumptionId, assumptions, type Settings } from './contract/assumptions.js';
export type { OperationName, PetStatus, PlanLimits } from './contract/document.js';
export { openapi } from './contract/openapi.js';
export type { WireFault } from './faults/faults.js';
export type { KeyInfo } from './limits/keys.js';
export type { Fault } from './scenario/fault-schema.js';
export type { GeneratePets } from './scenario/resolve-scenario.js';
export { ScenarioError } from './scenario/scenario-error.js';
export type { Scenario } from './scenario/scenario-schema.js';
export type { Issue } from './schema/issue.js';
export type { Answer, ApiCall } from './simulator/api-call.js';
export {
  createSimulator,
  type FaultControl,
  type Simulator,
  type SimulatorOptions,
  type Snapshot,
} from './simulator/simulator.js';
export type { Pet } from './state/pets.js';
export { type Int64, isInt64, parseInt64 } from './values/int64.js';
export { type JsonObject, type JsonValue, parseJson } from './values/json.js';
