import type { JsonValue } from '../values/json.js';
import type { ApiCall } from './api-call.js';
import type { ApiError } from './api-error.js';
import type { Outcome } from './outcome.js';

/**
 * Operation that a request's method and path belong to. Plain JSON, because a log stores the match of a delayed
 * request.
 */
export interface Match {
  /**
   * Name of the operation that the request's method and path match. `undefined` if no operation matches; `refusal` then
   * contains the error response.
   */
  readonly operation: string | undefined;
  readonly isWrite: boolean;
  /** Path parameters of the request, as sent: `petId` in `/pets/{petId}`. */
  readonly params: Readonly<Record<string, string>> | undefined;
  /**
   * Error response of a request that no operation can serve, sent only after the request was authenticated and counted.
   */
  readonly refusal: ApiError | undefined;
  /** Headers for every response to the request, including error responses created before the operation runs. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/**
 * Creates a `Match`: the operation that a request belongs to. The fields are always in the same order, because V8
 * handles objects of one shape faster.
 */
export const createMatch = (
  operation: Match['operation'],
  isWrite = false,
  refusal?: Match['refusal'],
  params?: Match['params'],
  headers?: Match['headers'],
): Match => ({ operation, isWrite, params, refusal, headers });

/**
 * Creates the match of a request with an unknown method or path. The match has an error response instead of an
 * operation.
 */
export const refusedMatch = (refusal: ApiError): Match => createMatch(undefined, false, refusal);

/** Description of a deprecated operation: method and path, time of removal, and replacement. */
export interface Deprecation {
  /** Method and path of the operation: `GET /pets/{petId}`. */
  readonly target: string;
  /** Time at which the deprecated operation is removed, in Unix milliseconds. */
  readonly removedAtMs: number;
  /** What a client should use instead of the deprecated operation, as text: `GET /pets with the status filter`. */
  readonly use: string;
}

/** Deprecated operations of services, by operation name. */
export type Deprecations = Readonly<Record<string, Deprecation>>;

/** Arguments with which a service's operation runs, besides the request. */
export interface RunContext<Data, Scenario> {
  readonly data: Data;
  /** Scenario that was loaded when the request arrived. Stays the same if another scenario is loaded during a delay. */
  readonly scenario: Scenario;
  /** Current simulated time, in Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Data of a service, such as its pets, in one simulator or sandbox.
 * @typeParam Copy type of captured data
 */
export interface ServiceData<Scenario = unknown, Copy = unknown> {
  /** Restores the service's data as at the start of the scenario. Without this method, `createData` is called again. */
  reset?(): void;
  /**
   * Called after another scenario was loaded without `reseed`, so that the service's data stays. Adapts the data to the
   * settings of that scenario. Default: does nothing.
   */
  change?(scenario: Scenario): void;
  /**
   * Creates the service's data for a fork of the simulator, as at the start of the scenario. Default: the service
   * creates the data again.
   */
  fork?(): ServiceData<Scenario, Copy>;
  /** Copies the service's data for a snapshot in memory. Later changes of the data must not change the copy. */
  capture(): Copy;
  /** Replaces the service's data with a captured copy. Later changes of the data must not change the copy. */
  restore(copy: Copy): void;
  /**
   * Whether the service's data is unchanged since the start of the scenario. If so, a snapshot in a log omits the data.
   * Default: no.
   */
  isAtStart?(): boolean;
  /** Splits a captured copy of the service's data into JSON values, for a log. Default: the copy as one value. */
  write?(copy: Copy): Iterable<JsonValue>;
  /**
   * Converts the JSON values from `write` back to a copy of the service's data, as `capture` returns it. Default: the
   * copy is the first value.
   */
  read?(values: readonly JsonValue[]): Copy;
}

/**
 * API that the simulator serves, with authentication, limits, faults and a journal. Operations must be deterministic,
 * because a log replay repeats them: no promise, no `Date.now`, no `Math.random`.
 */
export interface Service<Data = unknown, Scenario = unknown> {
  /** Name of the service in logs and snapshots. */
  readonly name: string;
  /**
   * Path before all operations of the service, without a trailing slash. Services with equal paths are tried in order.
   */
  readonly basePath: string;
  /** Names of the service's operations, for use in scenarios and in queries of the journal. */
  readonly operations: readonly string[];
  /** Deprecated operations of the service, which the judge reports. Default: none. */
  readonly deprecations?: Deprecations | undefined;
  /** Creates the service's data at the start of a scenario. */
  createData?(scenario: Scenario): Data & ServiceData<Scenario>;
  /**
   * Finds the service's operation for a request. If the function throws, the response is a 500.
   * @returns `undefined` for a request to another service
   */
  find(call: ApiCall, scenario: Scenario, nowMs: number): Match | undefined;
  /**
   * Runs the operation that the request matches.
   * @throws {ApiError} for an error response; any other error becomes a 500
   */
  run(call: ApiCall, match: Match, context: RunContext<Data, Scenario>): Outcome;
  /** Returns the values of a request that fault rules of this service can test in `when`. */
  conditions?(call: ApiCall, match: Match): Readonly<Record<string, unknown>>;
}
