import type { JsonValue } from '../values/json.js';
import type { ApiCall } from './api-call.js';
import type { ApiError } from './api-error.js';
import type { Outcome } from './outcome.js';

/** Operation that matches a request. Plain JSON, because a log stores the match of a delayed request. */
export interface Match {
  /** Name of the operation; `undefined` only together with `refusal`. */
  readonly operation: string | undefined;
  readonly isWrite: boolean;
  /** Path parameters, as sent. */
  readonly params: Readonly<Record<string, string>> | undefined;
  /** Error response, sent after the request was authenticated and counted. */
  readonly refusal: ApiError | undefined;
  /** Headers of every response, including errors of the engine. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** Creates the match of a request without an operation. */
export const refusedMatch = (refusal: ApiError): Match => ({
  operation: undefined,
  isWrite: false,
  params: undefined,
  refusal,
  headers: undefined,
});

/** Arguments of an operation, besides the request. */
export interface RunContext<Data, Scenario> {
  readonly data: Data;
  /** Scenario at the arrival of the request, even after a delay. */
  readonly scenario: Scenario;
  /** Simulated time, in Unix milliseconds. */
  readonly nowMs: number;
}

/**
 * Data of a service in one simulator or sandbox.
 * @typeParam Copy type of captured data
 */
export interface ServiceData<Scenario = unknown, Copy = unknown> {
  /** Restores the data at the start of the scenario. Default: the service creates the data again. */
  reset?(): void;
  /** Adapts the data to another scenario, loaded without `reseed`. Default: no change. */
  change?(scenario: Scenario): void;
  /** Creates the data of a fork, at the start of the same scenario. Default: the service creates the data again. */
  fork?(): ServiceData<Scenario, Copy>;
  /** Copies the data for a snapshot in memory. The copy must not change with the data. */
  capture(): Copy;
  /** Restores a copy. The copy must not change with the data. */
  restore(copy: Copy): void;
  /** Whether the data is as at the start of the scenario; a log then stores no copy. Default: no. */
  isAtStart?(): boolean;
  /** Splits a copy into JSON values, for a log. Default: the copy as one value. */
  write?(copy: Copy): Iterable<JsonValue>;
  /** Joins the values that `write` returned. Default: the first value. */
  read?(values: readonly JsonValue[]): Copy;
}

/**
 * API that the simulator serves, with authentication, limits, faults and a journal. Operations must be deterministic,
 * because a log replay repeats them: no promise, no `Date.now`, no `Math.random`.
 */
export interface Service<Data = unknown, Scenario = unknown> {
  /** Name of the service in logs and snapshots. */
  readonly name: string;
  /** Path before all operations, without a trailing slash. Services with equal paths are tried in order. */
  readonly basePath: string;
  /** Names of the operations, for scenarios and queries. */
  readonly operations: readonly string[];
  /** Creates the data at the start of a scenario. */
  createData?(scenario: Scenario): Data & ServiceData<Scenario>;
  /**
   * Finds the operation of a request. A thrown error becomes a 500.
   * @returns `undefined` for a request to another service
   */
  find(call: ApiCall, scenario: Scenario, nowMs: number): Match | undefined;
  /**
   * Runs the operation.
   * @throws {ApiError} for an error response; any other error becomes a 500
   */
  run(call: ApiCall, match: Match, context: RunContext<Data, Scenario>): Outcome;
  /** Values for fault-rule conditions that are specific to an operation. */
  conditions?(call: ApiCall, match: Match): Readonly<Record<string, unknown>>;
}
