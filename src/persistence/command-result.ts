import type { Answer } from '../requests/api-call.js';
import type { Simulator } from '../simulator/simulator.js';

/** What became of a request: its answer, at once or later, and where its entry in the journal is. */
export interface HandledRequest {
  readonly sim: Simulator;
  readonly id: number;
  /** When it was handled, by the simulator's clock. */
  readonly atMs: number;
  readonly answer: Answer | Promise<Answer>;
}

/** What a command gave, or why it could not be done. */
export type CommandResult = { readonly value: unknown } | { readonly error: unknown };

/** What an entry did. */
export interface AppliedEntry {
  /** One for each command; empty for an entry that had been applied before. */
  readonly results: readonly CommandResult[];
  /** Of everything that was answered, delayed requests too. */
  readonly hash: string;
}
