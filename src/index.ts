export type { Answer, ApiCall } from './api-call.js';
export { type Assumption, type AssumptionId, assumptions, type Settings } from './interface/assumptions.js';
export type { OperationName, PetStatus, PlanLimits } from './interface/contract.js';
export { type Int64, isInt64, parseInt64 } from './interface/int64.js';
export { type JsonObject, type JsonValue, parseJson } from './interface/json.js';
export { openapi } from './interface/openapi.js';
export type { WireFault } from './policies/faults.js';
export type { KeyInfo } from './policies/keys.js';
export type { Fault } from './scenario/fault-schema.js';
export type { GeneratePets } from './scenario/load.js';
export { type Problem, ScenarioError } from './scenario/scenario-error.js';
export type { Scenario } from './scenario/schema.js';
export {
  createSimulator,
  type FaultControl,
  type Simulator,
  type SimulatorOptions,
  type Snapshot,
} from './simulator.js';
export type { Pet } from './state/pets.js';
