import type { Entries } from '../validation/schema.js';
import type { JsonValue } from '../values/json.js';
import type { KeyFrom } from '../values/key-place.js';
import type { ApiCall } from './api-call.js';
import type { ApiError } from './api-error.js';
import type { Outcome } from './outcome.js';

/**
 * Operation to which a request's method and path belong. Plain JSON, because the append-only log, from which a server
 * restores its state, stores the operation of each delayed request.
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
  /** Time at which the deprecated operation is removed. */
  readonly removedAtMs: number;
  /** Replacement of the deprecated operation, as text: `GET /pets with the status filter`. */
  readonly use: string;
}

/** Deprecated operations of the simulated APIs, by operation name. */
export type Deprecations = Readonly<Record<string, Deprecation>>;

/** Resource that a write stores, for the judge and its messages. The API then has no idempotency keys. */
export interface StoredResource {
  /** Noun for the resource: `pet`. */
  readonly noun: string;
  /** Fields of the request body that identify the resource, each with its default. Other fields have no effect. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Fields of the request body by which a read shows the resource. */
  readonly shownBy: readonly string[];
  /** Request that finds the resource: `GET /pets`. */
  readonly foundBy: string;
}

/** Operation of an API: a row of the API's table of operations. */
export interface OperationRow {
  /** HTTP method in capital letters. GET also serves HEAD. */
  readonly method: string;
  /** Path below the base path, with path parameters in braces: `/pets/{petId}`. */
  readonly path: string;
  /** Base path, if it differs from the main service's. */
  readonly basePath?: string | undefined;
  /** Whether the operation changes data. Default: whether the method is unsafe (RFC 9110 section 9.2.1), such as POST. */
  readonly isWrite?: boolean | undefined;
  /**
   * Schemas of the query parameters, which read the query and the conditions of fault rules alike: for an int64, `2` and
   * `"2"` are equal. Default: parameters are text.
   */
  readonly query?: Entries | undefined;
  /** Query parameters that are conditions of fault rules, besides the path parameters: `['status']`. */
  readonly conditions?: readonly string[] | undefined;
  /**
   * Creates the parameters of a path that has one, in 30 ns less than from the name in the path, the default.
   * @example params: (petId) => ({ petId })
   */
  readonly params?: ((value: string) => Readonly<Record<string, string>>) | undefined;
  readonly deprecation?: Omit<Deprecation, 'target'> | undefined;
  /** Resource that the operation stores. Default: a resource that is identified by the whole request. */
  readonly stores?: StoredResource | undefined;
}

/** Operations of an API by name, in the order in which messages list them. */
export type OperationRows<Name extends string = string> = Readonly<Record<Name, OperationRow>>;

/** Arguments of an API operation in addition to the request: the API's data, the scenario and the current time. */
export interface RunContext<Data, Scenario> {
  readonly data: Data;
  /**
   * Scenario that was current when the request arrived. Not replaced if another scenario is loaded while a fault rule
   * delays the request.
   */
  readonly scenario: Scenario;
  /** Current simulated time. */
  readonly nowMs: number;
}

/**
 * Data of one simulated API, such as the pets of the Petstore. Each simulator and each sandbox has separate data.
 * @typeParam Copy type of the data's copy in a snapshot
 */
export interface ServiceData<Scenario = unknown, Copy = unknown> {
  /** Restores the service's data as at the start of the scenario. Without this method, `createData` is called again. */
  reset?(): void;
  /**
   * Adapts the service's data to the settings of a newly loaded scenario, such as another order of lists. Called if the
   * scenario was loaded without the option `reseed`, which would replace the data. Default: does nothing.
   */
  change?(scenario: Scenario): void;
  /**
   * Creates data for a copy of the simulator (`fork`), as at the start of the scenario. If this method is missing,
   * `createData` of the service creates the data.
   */
  fork?(): ServiceData<Scenario, Copy>;
  /**
   * Copies the simulated API's data, such as its pets, for a snapshot in memory. Later changes of the data must not
   * change the copy.
   */
  capture(): Copy;
  /**
   * Replaces the data of the simulated API with a copy that `capture` returned. Later changes of the data must not
   * change the copy.
   */
  restore(copy: Copy): void;
  /**
   * Whether the data, such as pets, is unchanged since the start of the scenario. If so, a snapshot of the server's
   * state omits the data. Default: no.
   */
  isAtStart?(): boolean;
  /**
   * Splits a copy of the simulated API's data, as `capture` returns it, into JSON values for a log of the server's
   * state. Without this method, the copy is stored as one JSON value.
   */
  write?(copy: Copy): Iterable<JsonValue>;
  /**
   * Converts the JSON values that the method `write` returned back to a copy of the simulated API's data. Default:
   * returns the first JSON value.
   */
  read?(values: readonly JsonValue[]): Copy;
}

/**
 * API that the simulator serves, with authentication, limits, faults and a journal. Operations must be deterministic,
 * because a log replay repeats them: no promise, no `Date.now`, no `Math.random`.
 */
export interface Service<Data = unknown, Scenario = unknown> {
  /** Name of this simulated API, which identifies its data in logs and snapshots of the server's state. */
  readonly name: string;
  /**
   * Path prefix of all operations of the API, without a trailing slash. If several APIs have the same path, a request
   * goes to the first one with a matching operation.
   */
  readonly basePath: string;
  /** Place of the API key in requests to this API. Default: the scenario's `keyFrom`, or Authorization: Bearer. */
  readonly keyFrom?: KeyFrom | undefined;
  /** Numbers of requests as which operations count, by name, unless the scenario states them. Default: one each. */
  readonly costs?: Readonly<Record<string, number>> | undefined;
  /** Names of the service's operations, for use in scenarios and in queries of the journal. */
  readonly operations: readonly string[];
  /** Table of the service's operations, from which messages, checks and descriptions follow. Default: unknown. */
  readonly rows?: OperationRows | undefined;
  /** Returns the methods of the operations at a path, in the order of the rows; none for an unknown path. */
  methodsAt?(path: string): readonly string[];
  /**
   * HTTP methods of the service's operations, which a page of another origin may use (CORS). Default: those of `rows`,
   * or any method, because only `find` knows them.
   */
  readonly methods?: readonly string[] | undefined;
  /** Deprecated operations of this API, for the judge, which reports their callers. Default: those of `rows`. */
  readonly deprecations?: Deprecations | undefined;
  /** Creates the data of this API, such as its pets, as at the start of a scenario. */
  createData?(scenario: Scenario): Data & ServiceData<Scenario>;
  /**
   * Finds the operation of this API that a request matches. If the function throws, the response is a 500.
   * @returns `undefined` for a request that does not belong to this API
   */
  find(call: ApiCall, scenario: Scenario, nowMs: number): Match | undefined;
  /**
   * Runs the operation that the request matches.
   * @throws {ApiError} for an error response; any other error becomes a 500
   */
  run(call: ApiCall, match: Match, context: RunContext<Data, Scenario>): Outcome;
  /**
   * Returns the values of a request for those fault-rule conditions that only this API defines, such as `petId`. The
   * names are those of the conditions in `when`.
   */
  conditions?(call: ApiCall, match: Match): Readonly<Record<string, unknown>>;
}
