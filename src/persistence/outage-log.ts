import type { Outage } from '../journal/outage.js';
import type { Command, OutageCommand } from './command.js';
import type { CommandResult } from './command-result.js';
import { LogUnavailableError } from './log.js';

type Sandbox = string | undefined;

/**
 * Maximum number of sandboxes whose rejected requests are counted while the log's Redis store does not respond. Beyond
 * it, the oldest counts are dropped, because clients can invent any number of sandbox names.
 */
const maximumSandboxes = 1_000;

/**
 * Collects, for each sandbox, the periods in which Redis was unreachable and the number of requests rejected in each.
 * After an outage, `end` returns commands that record both in the server's append-only log.
 */
export class OutageLog {
  /**
   * Outages of the log's Redis store that are not recorded in the log yet, by sandbox. `isOver` is set when the store
   * works again.
   */
  readonly #unreported = new Map<Sandbox, Outage & { isOver?: true }>();
  /** Reports of Redis outages that were submitted to the server's log, but are not confirmed as stored. */
  readonly #submitted = new Set<OutageCommand>();
  /**
   * Whether the operator was informed of the current outage of Redis, which stores the server's log, and the number of
   * API requests rejected since then.
   */
  #isReported = false;
  #refusedSinceReport = 0;

  /**
   * Counts rejected requests during an outage of Redis, for a report in the log. Counts only the API requests among the
   * rejected commands.
   * @param fromMs time at which the commands were submitted
   * @param toMs time at which the commands were rejected
   */
  refuse(waiting: readonly { readonly command: Command }[], fromMs: number, toMs: number): void {
    for (const { command } of waiting) {
      // A `touch` command that creates a sandbox counts as the first API request to that sandbox.
      const isRequest = command.kind === 'request' || (command.kind === 'touch' && command.make);
      if (isRequest) this.refuseRequest(command.sandbox, fromMs, toMs);
    }
  }

  refuseRequest(sandbox: Sandbox, fromMs: number, toMs: number): void {
    this.#refusedSinceReport++;
    this.#add(sandbox, { fromMs, toMs, refused: 1 });
  }

  /** Reduces a sandbox's number of lost requests by one, because one was stored in Redis after all. */
  found(sandbox: Sandbox): void {
    const outage = this.#unreported.get(sandbox);
    if (outage !== undefined) this.#unreported.set(sandbox, { ...outage, refused: Math.max(0, outage.refused - 1) });
  }

  #add(sandbox: Sandbox, { fromMs, toMs, refused }: Outage): void {
    const before = this.#unreported.get(sandbox) ?? { fromMs, toMs, refused: 0 };
    this.#unreported.set(sandbox, {
      fromMs: Math.min(before.fromMs, fromMs),
      toMs: Math.max(before.toMs, toMs),
      refused: before.refused + refused,
    });
    const [oldest] = this.#unreported.keys();
    if (this.#unreported.size > maximumSandboxes) this.#unreported.delete(oldest);
  }

  /**
   * Notes that the operator was informed of the current outage of Redis. From then on, only `reportRecovery` resets the
   * number of rejected requests, not `end`.
   */
  reportOutage(): void {
    this.#isReported = true;
  }

  /**
   * Returns the number of rejected requests for the message that the store (Redis) works again, and resets the number
   * to 0.
   * @returns number of requests rejected since the previous message
   */
  reportRecovery(): number {
    const refused = this.#refusedSinceReport;
    this.#isReported = false;
    this.#refusedSinceReport = 0;
    return refused;
  }

  /**
   * Returns the periods in which the server could not write to its log, so that requests to a sandbox got a 503. Omits
   * periods that the log already contains.
   */
  unreported(sandbox: Sandbox): readonly Outage[] {
    const unreported = this.#unreported.get(sandbox);
    const submitted = [...this.#submitted].filter((command) => command.sandbox === sandbox);
    return unreported === undefined ? submitted : [...submitted, unreported];
  }

  /**
   * Ends an outage of Redis, and creates a log command for each existing sandbox whose requests were rejected. For a
   * sandbox that does not exist yet, a later call creates the command.
   * @param nowMs end of the outage
   * @param exists whether a sandbox exists
   * @returns commands to append to the log, each to be passed to `settle` with its result
   */
  end(nowMs: number, exists: (sandbox: Sandbox) => boolean): readonly OutageCommand[] {
    if (!this.#isReported) this.#refusedSinceReport = 0;
    const commands: OutageCommand[] = [];
    for (const [sandbox, { fromMs, refused, isOver, ...outage }] of this.#unreported) {
      const toMs = isOver ? outage.toMs : Math.max(outage.toMs, Math.floor(nowMs));
      if (!exists(sandbox)) {
        this.#unreported.set(sandbox, { fromMs, toMs, refused, isOver: true });
        continue;
      }
      const command: OutageCommand = { kind: 'storeAway', sandbox, fromMs, toMs, refused };
      this.#unreported.delete(sandbox);
      this.#submitted.add(command);
      commands.push(command);
    }
    return commands;
  }

  /** Keeps the report of a Redis outage for another attempt if the log did not store the report. */
  settle(command: OutageCommand, commandResult: CommandResult): void {
    const error = 'error' in commandResult ? commandResult.error : undefined;
    const isUnwritten = error instanceof LogUnavailableError;
    if (isUnwritten && error.isUncertain) return;
    if (this.#submitted.delete(command) && isUnwritten) this.#add(command.sandbox, command);
  }

  /**
   * Queues reports of Redis outages again if the log has not confirmed their storage. The log may then contain a report
   * twice, which is better than no report.
   */
  requeue(): void {
    for (const command of this.#submitted) this.#add(command.sandbox, command);
    this.#submitted.clear();
  }
}
