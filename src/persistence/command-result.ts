import type { Answer } from '../requests/api-call.js';
import type { Simulator } from '../simulator/simulator.js';

/** Result of a request: its response, immediate or delayed, and its journal id. */
export interface HandledRequest {
  readonly sim: Simulator;
  readonly id: number;
  /** Time of handling, in Unix milliseconds of simulated time. */
  readonly atMs: number;
  readonly answer: Answer | Promise<Answer>;
}

/** Value or error of a command. */
export type CommandResult = { readonly value: unknown } | { readonly error: unknown };

/** Result of an applied entry. */
export interface AppliedEntry {
  /** One result per command; empty for an entry that was applied before. */
  readonly results: readonly CommandResult[];
  /** Hash of all responses, including those of delayed requests. */
  readonly hash: string;
}
