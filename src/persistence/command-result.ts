import type { Answer } from '../requests/api-call.js';
import type { Simulator } from '../simulator/simulator.js';

/** Result of a request to the simulated API: the response, which may be delayed, and the request's journal id. */
export interface HandledRequest {
  readonly sim: Simulator;
  readonly id: number;
  /** Time at which the simulator handled the request, in simulated time. */
  readonly atMs: number;
  readonly answer: Answer | Promise<Answer>;
}

/** Result of a command: a value or an error. */
export type CommandResult = { readonly value: unknown } | { readonly error: unknown };

/** Result of executing the commands of one entry in a server's command log. */
export interface AppliedEntry {
  /** Results of the commands of a log entry, in order. Empty if the server has already applied this log entry. */
  readonly results: readonly CommandResult[];
  /**
   * Hash of all responses that the server created when it applied the log entry, including responses to delayed
   * requests.
   */
  readonly hash: string;
}
