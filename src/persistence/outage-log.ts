import type { Outage } from '../journal/outage.js';
import type { Command, OutageCommand } from './command.js';
import type { CommandResult } from './command-result.js';
import { LogUnavailableError } from './log.js';

type Sandbox = string | undefined;

/**
 * Maximum number of sandboxes with outages that wait to be logged. The oldest are dropped, because clients can invent
 * any number of names.
 */
const maximumSandboxes = 1_000;

/**
 * Collects the outages of the log's store, and the number of requests rejected during each outage, by sandbox. After an
 * outage, `end` returns both as commands for the log.
 */
export class OutageLog {
  /** Outages of the store that wait to be logged, by sandbox. `isOver` means that the store works again. */
  readonly #unreported = new Map<Sandbox, Outage & { isOver?: true }>();
  /** Commands that report an outage of the store to the log, and whose storing in the log is not confirmed yet. */
  readonly #submitted = new Set<OutageCommand>();
  /** Whether the operator was informed of the current outage, and the number of requests rejected since. */
  #isReported = false;
  #refusedSinceReport = 0;

  /**
   * Counts the requests among the log's commands that were rejected during an outage of the store.
   * @param fromMs time at which the commands were submitted, in Unix milliseconds
   * @param toMs time at which the commands were rejected, in Unix milliseconds
   */
  refuse(waiting: readonly { readonly command: Command }[], fromMs: number, toMs: number): void {
    for (const { command } of waiting) {
      // Counts a sandbox's creation as a rejected request, because the first request to the sandbox caused it.
      const isRequest = command.kind === 'request' || (command.kind === 'touch' && command.make);
      if (isRequest) this.refuseRequest(command.sandbox, fromMs, toMs);
    }
  }

  refuseRequest(sandbox: Sandbox, fromMs: number, toMs: number): void {
    this.#refusedSinceReport++;
    this.#add(sandbox, { fromMs, toMs, refused: 1 });
  }

  /**
   * Subtracts one from the number of a sandbox's requests that were rejected during an outage, because the log contains
   * such a request after all.
   */
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
   * Records that the operator was informed of the store's outage. The count of rejected requests then continues until
   * `reportRecovery`.
   */
  reportOutage(): void {
    this.#isReported = true;
  }

  /**
   * Notes that the operator was informed that the store works again.
   * @returns number of requests rejected during the outage
   */
  reportRecovery(): number {
    const refused = this.#refusedSinceReport;
    this.#isReported = false;
    this.#refusedSinceReport = 0;
    return refused;
  }

  /** Returns the outages of the log's store, as seen by a sandbox, that are not in the log yet. */
  unreported(sandbox: Sandbox): readonly Outage[] {
    const unreported = this.#unreported.get(sandbox);
    const submitted = [...this.#submitted].filter((command) => command.sandbox === sandbox);
    return unreported === undefined ? submitted : [...submitted, unreported];
  }

  /**
   * Ends the outage of the store after the log has stored an entry again. For each sandbox, creates a command for the
   * log with the outage's period and its number of rejected requests. For a missing sandbox, creates the command only
   * once the sandbox exists.
   * @param nowMs end of the outage, in Unix milliseconds
   * @param exists whether a sandbox exists
   * @returns commands to append to the log; pass each with its result to `settle`
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

  /**
   * Handles the result of an outage command that was submitted to the log. If the log did not store the command, a
   * later command reports the outage.
   */
  settle(command: OutageCommand, commandResult: CommandResult): void {
    const error = 'error' in commandResult ? commandResult.error : undefined;
    const isUnwritten = error instanceof LogUnavailableError;
    if (isUnwritten && error.isUncertain) return;
    if (this.#submitted.delete(command) && isUnwritten) this.#add(command.sandbox, command);
  }

  /**
   * Queues the outage reports again whose storing in the log is unconfirmed. Called after a reconnect. A report may
   * thus be stored twice, which is better than never.
   */
  requeue(): void {
    for (const command of this.#submitted) this.#add(command.sandbox, command);
    this.#submitted.clear();
  }
}
