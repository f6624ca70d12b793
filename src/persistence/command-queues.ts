import { lengthOf } from '../journal/record-bytes.js';
import { jsonText } from '../values/json.js';
import type { Command } from './command.js';
import { toJsonOutcome } from './command-json.js';
import type { CommandResult } from './command-result.js';
import { maximumEntryBytes } from './log.js';

export type CommandCallback = (commandResult: CommandResult) => void;

/** Command that waits to be appended to the server's log, with the callback for the command's result. */
export interface PendingCommand {
  readonly command: Command;
  readonly done: CommandCallback | undefined;
}

/**
 * Commands (changes of the server's state) that wait to be appended to the server's log. Each sandbox has one queue.
 */
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
      // Fast path for the usual case that only one sandbox has waiting commands. Only several sandboxes need to take
      // turns.
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

/**
 * Upper bound for the fixed part of a command, in bytes of JSON. A log stores commands (changes of the server's state).
 * The size of variable texts, such as path, headers and body, is added separately.
 */
const commandBytes = 1_000;
/** Maximum number of bytes that one character occupies in JSON, as in `\u0000`. */
const characterBytes = 6;
/** Maximum size of the log's data about one sent response, in bytes of JSON, without the response body. */
const sentBytes = 200;

/**
 * Estimates the maximum size of a command in the log, in bytes. Log entries combine commands up to `maximumEntryBytes`.
 */
function bytesOf(command: Command): number {
  if (command.kind === 'sent') {
    let bodies = 0;
    for (const [, { responseBody }] of command.answers) bodies += lengthOf(responseBody);
    return commandBytes + command.answers.length * sentBytes + bodies * characterBytes;
  }
  if (command.kind === 'control') return commandBytes + jsonText(command.input).length * characterBytes;
  if (command.kind === 'routeEnded')
    return commandBytes + lengthOf(toJsonOutcome(command.outcome).body) * characterBytes;
  if (command.kind !== 'request') return commandBytes;
  const { path, query, baseUrl, body, headers } = command.call;
  let length = path.length + query.length + baseUrl.length + (body?.length ?? 0);
  for (const name in headers) length += (headers[name] as string).length;
  return commandBytes + length * characterBytes;
}
