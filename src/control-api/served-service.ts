import type { Scenario } from '../scenario/scenario-schema.js';
import type { MainService } from '../simulator/simulator-state.js';
import type { Schema } from '../validation/schema.js';
import type { AnyControlOperation } from './control-operation.js';
import type { OutputOf, ServiceCounts, StateForm } from './state-schema.js';

/** Control operations by name. */
export type ControlOperations = Readonly<Record<string, AnyControlOperation>>;

/** Group of operations with a common tag in the OpenAPI description. */
export interface OperationGroup<Operations extends ControlOperations = ControlOperations> {
  readonly name: string;
  readonly description: string;
  readonly operations: Operations;
}

/** Parts of the control API that depend on the simulated API, such as operations on the Petstore's pets. */
export interface ServiceControl<Own extends ControlOperations> {
  readonly main: MainService;
  /** Name of the simulated API in the description of the control API: `the Petstore service`. */
  readonly title: string;
  /** Describes the service in OpenAPI 3.1. @param baseUrl API URL; default: the URL of a server without options */
  describe(baseUrl?: string): Record<string, unknown>;
  /** Questions that the service's documentation leaves open, by the name of the setting that answers each. */
  readonly assumptions: Readonly<Record<string, OpenQuestion>>;
  /** Group of the control operations on the simulated API's data, such as the pets of the Petstore. */
  readonly group: OperationGroup<Own>;
  readonly state: StateForm;
  /** Counts of the items in the service's data, such as the number of pets, for the results of control operations. */
  readonly counts: DataCounts;
  /** Schema of the scenarios that a running server can load. */
  readonly loadable: Schema<Scenario>;
}

/** Function that counts the items in the simulated API's data, such as pets, and the schema of its result. */
export interface DataCounts {
  readonly schemas: ServiceCounts;
  /** Counts the items, such as pets, in a copy of the simulated API's data. Snapshots contain copies of the data. */
  of(copy: unknown): OutputOf<ServiceCounts>;
}

/** Question that an API's documentation leaves open, with the default answer and the other possible answers. */
interface OpenQuestion {
  readonly question: string;
  readonly default: unknown;
  readonly alternatives: readonly unknown[];
}

/** A server's simulated API, such as the Petstore, and the definitions of the server's control operations. */
export interface ServedService {
  readonly main: MainService;
  /** Definitions of the control API's operations on a single simulator. */
  readonly operations: ControlOperations;
  /** Definitions of the control API's operations on the server and its sandboxes. */
  readonly sandboxOperations: ControlOperations;
}
