import type { Command } from './command.js';
import { bytesOf } from './command-bytes.js';
import type { CommandResult } from './command-result.js';
import { maximumEntryBytes } from './log.js';

export type CommandCallback = (commandResult: CommandResult) => void;

/** Command that waits to be written to the log, with the callback that receives the command's result. */
export interface PendingCommand {
  readonly command: Command;
  readonly done: CommandCallback | undefined;
}

/** Entry that was sent to a shared log and has not come back from it. */
export interface PendingEntry {
  readonly waiting: readonly PendingCommand[];
  readonly atMs: number;
  /** Whether the callers of the entry's commands have received a timeout error. */
  isTimedOut: boolean;
}

/** Commands that wait to be written to the log, in one queue per sandbox. */
export class CommandQueues {
  readonly #queues = new Map<string, PendingCommand[]>();

  get isEmpty(): boolean {
    return this.#queues.size === 0;
  }

  add(sandbox: string, waiting: PendingCommand): void {
    const queue = this.#queues.get(sandbox);
    if (queue === undefined) this.#queues.set(sandbox, [waiting]);
    else queue.push(waiting);
  }

  /**
   * Takes waiting commands for the next log entry until it is full. Takes from the sandboxes in rotation, so that none
   * blocks the others.
   * @param first commands that the entry already contains
   */
  take(first: readonly PendingCommand[]): PendingCommand[] {
    const taken: PendingCommand[] = [];
    let bytes = 0;
    for (const { command } of first) bytes += bytesOf(command);
    if (this.#queues.size === 1) {
      // Takes the commands without rotation, because only one sandbox has waiting commands. This is the usual case.
      const [[name, queue]] = this.#queues as unknown as [[string, PendingCommand[]]];
      let count = 0;
      for (; count < queue.length; count++) {
        bytes += bytesOf((queue[count] as PendingCommand).command);
        if (bytes > maximumEntryBytes && count + first.length > 0) break;
      }
      if (count === queue.length) this.#queues.delete(name);
      return queue.splice(0, count);
    }
    while (this.#queues.size > 0) {
      for (const [name, queue] of this.#queues) {
        bytes += bytesOf((queue[0] as PendingCommand).command);
        if (bytes > maximumEntryBytes && taken.length + first.length > 0) return taken;
        taken.push(queue.shift() as PendingCommand);
        if (queue.length === 0) this.#queues.delete(name);
      }
    }
    return taken;
  }
}
