import type { Outage } from '../journal/outage.js';
import type { Command, OutageCommand } from './command.js';
import type { CommandResult } from './command-result.js';
import { LogUnavailableError } from './log.js';

type Sandbox = string | undefined;

/** Maximum number of sandboxes with an unreported outage; the oldest are evicted. Clients choose the names. */
const mostSandboxes = 1_000;

/** Records the outages of the store and the refused requests per sandbox. */
export class OutageLog {
  /** Unreported outages by sandbox; `isOver` once an append has succeeded. */
  readonly #unreported = new Map<Sandbox, Outage & { isOver?: true }>();
  /** Submitted commands that the log does not contain yet. */
  readonly #submitted = new Set<OutageCommand>();
  /** Whether the current outage was reported to the operator, and the refused requests since the last report. */
  #isReported = false;
  #refusedSinceReport = 0;

  /** Records refused commands. @param fromMs start of their wait, in Unix milliseconds @param toMs end of their wait */
  refuse(waiting: readonly { readonly command: Command }[], fromMs: number, toMs: number): void {
    for (const { command } of waiting) {
      // The first request to a sandbox submits a `touch` that creates the sandbox.
      const isRequest = command.kind === 'request' || (command.kind === 'touch' && command.make);
      if (isRequest) this.refuseRequest(command.sandbox, fromMs, toMs);
    }
  }

  refuseRequest(sandbox: Sandbox, fromMs: number, toMs: number): void {
    this.#refusedSinceReport++;
    this.#add(sandbox, { fromMs, toMs, refused: 1 });
  }

  /** Removes a refused request that the log contains nevertheless; the journal lists it. */
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
    if (this.#unreported.size > mostSandboxes) this.#unreported.delete(oldest);
  }

  /** Marks the outage as reported to the operator. */
  reportOutage(): void {
    this.#isReported = true;
  }

  /** Marks the recovery as reported. @returns number of requests refused during the outage */
  reportRecovery(): number {
    const refused = this.#refusedSinceReport;
    this.#isReported = false;
    this.#refusedSinceReport = 0;
    return refused;
  }

  /** Outages of a sandbox that the log does not contain yet. */
  unreported(sandbox: Sandbox): readonly Outage[] {
    const unreported = this.#unreported.get(sandbox);
    const submitted = [...this.#submitted].filter((command) => command.sandbox === sandbox);
    return unreported === undefined ? submitted : [...submitted, unreported];
  }

  /**
   * Ends the outage after a successful append.
   * @param nowMs end of the outage, in Unix milliseconds
   * @param exists whether a sandbox exists; outages of a missing sandbox are reported once it is created
   * @returns commands to append; call `settle` with the result of each
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

  /** Processes the result of a returned command: queues an unwritten command again, and waits for an uncertain one. */
  settle(command: OutageCommand, result: CommandResult): void {
    const error = 'error' in result ? result.error : undefined;
    const isUnwritten = error instanceof LogUnavailableError;
    if (isUnwritten && error.isUncertain) return;
    if (this.#submitted.delete(command) && isUnwritten) this.#add(command.sandbox, command);
  }

  /** Queues all submitted commands again after a reconnect. A duplicate report is preferred to a missing one. */
  requeue(): void {
    for (const command of this.#submitted) this.#add(command.sandbox, command);
    this.#submitted.clear();
  }
}
