import type { JsonValue } from '../values/json.js';
import type { ApiCall } from './api-call.js';
import type { ApiError } from './api-error.js';
import type { Outcome } from './outcome.js';

/** The operation that a call asks for. Plain JSON, because a log stores it with a delayed request. */
export interface Match {
  /** `undefined` only together with `refusal`. */
  readonly operation: string | undefined;
  readonly isWrite: boolean;
  /** The parameters of the path, as sent. */
  readonly params: Readonly<Record<string, string>> | undefined;
  /** The error to respond with, once the request is authenticated and counted. */
  readonly refusal: ApiError | undefined;
  /** Headers of every response, errors of the engine included. */
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** The match of a call without an operation. */
export const refusedMatch = (refusal: ApiError): Match => ({
  operation: undefined,
  isWrite: false,
  params: undefined,
  refusal,
  headers: undefined,
});

/** The arguments of an operation, beside the call. */
export interface RunContext<Data, Scenario> {
  readonly data: Data;
  /** The scenario at the arrival of the request, also after a delay. */
  readonly scenario: Scenario;
  /** The time of the simulated clock in Unix milliseconds. */
  readonly nowMs: number;
}

/** The data of a service: one object for each simulator and sandbox. */
export interface ServiceData<Data, Scenario> {
  /** The data at the start of a scenario; also called for each reset. */
  create(scenario: Scenario): Data;
  /** A copy for snapshots and logs. */
  write(data: Data): JsonValue;
  /** The data of a copy. */
  read(copy: JsonValue): Data;
}

/**
 * An API that the simulator serves. The engine authenticates and limits its requests, applies faults to them and records
 * them. An operation is a function of its arguments, because each replay of a log runs it again: no promise, no `Date.now`,
 * no `Math.random`.
 */
export interface Service<Data = unknown, Scenario = unknown> {
  /** Its name in logs and snapshots. */
  readonly name: string;
  /** The path of its addresses, without a slash at the end. Services with the same one are asked in order. */
  readonly basePath: string;
  /** The names of its operations, for scenarios and queries. */
  readonly operations: readonly string[];
  readonly data?: ServiceData<Data, Scenario>;
  /** @returns `undefined` for a call of another service; an error that it throws becomes a 500 */
  find(call: ApiCall, scenario: Scenario, nowMs: number): Match | undefined;
  /** @throws {ApiError} for an error to respond with; any other error becomes a 500 */
  run(call: ApiCall, match: Match, context: RunContext<Data, Scenario>): Outcome;
  /** Values for the conditions of fault rules that belong to one operation. */
  conditions?(call: ApiCall, match: Match): Readonly<Record<string, unknown>>;
}
