import type { Command } from './command.js';
import { bytesOf } from './command-bytes.js';
import type { CommandResult } from './command-result.js';
import { maximumEntryBytes } from './log.js';

export type Done = (result: CommandResult) => void;

/** A command that was handed in, and who is to be told what it gave. */
export interface Waiting {
  readonly command: Command;
  readonly done: Done | undefined;
}

/** What was handed in to be written in a shared log. */
export interface Written {
  readonly waiting: readonly Waiting[];
  readonly atMs: number;
  /** Whether everybody in it was told that it could not be written in time. */
  isGivenUp: boolean;
}

/** What was handed in and is not written yet, by sandbox. */
export class CommandQueues {
  readonly #queues = new Map<string, Waiting[]>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  add(sandbox: string, waiting: Waiting): void {
    const queue = this.#queues.get(sandbox);
    if (queue === undefined) this.#queues.set(sandbox, [waiting]);
    else queue.push(waiting);
  }

  /** Of each sandbox one command in turn, until an entry is full. @param first what is in it already */
  take(first: readonly Waiting[]): Waiting[] {
    const taken: Waiting[] = [];
    let bytes = 0;
    for (const { command } of first) bytes += bytesOf(command);
    if (this.#queues.size === 1) {
      // Mostly there is one, and no turns to take.
      const [[name, queue]] = this.#queues as unknown as [[string, Waiting[]]];
      let count = 0;
      for (; count < queue.length; count++) {
        bytes += bytesOf((queue[count] as Waiting).command);
        if (bytes > maximumEntryBytes && count + first.length > 0) break;
      }
      if (count === queue.length) this.#queues.delete(name);
      return queue.splice(0, count);
    }
    while (this.#queues.size > 0) {
      for (const [name, queue] of this.#queues) {
        bytes += bytesOf((queue[0] as Waiting).command);
        if (bytes > maximumEntryBytes && taken.length + first.length > 0) return taken;
        taken.push(queue.shift() as Waiting);
        if (queue.length === 0) this.#queues.delete(name);
      }
    }
    return taken;
  }
}
