import type { Outage } from '../state/outage.js';
import type { Command, OutageCommand } from './command.js';
import type { CommandResult } from './command-result.js';
import { LogUnavailableError } from './log.js';

type Sandbox = string | undefined;

/** Names of sandboxes that are never made may be anything; of more than these the oldest are forgotten. */
const mostSandboxes = 1_000;

/** Notes for how long nothing could be written, and how many requests of each sandbox were refused for it. */
export class StoreAway {
  /** What was not handed in yet, by sandbox, and whether something could be written since. */
  readonly #untold = new Map<Sandbox, Outage & { isOver?: true }>();
  /** What was handed in to be told in the log, and does not stand there yet. */
  readonly #telling = new Set<OutageCommand>();
  /** Whether people were told that the store is away, and how many requests were refused that they were told nothing of. */
  #isSaid = false;
  #unsaid = 0;

  /** Notes commands that were refused. @param fromMs since when they waited, and until when */
  refuse(waiting: readonly { readonly command: Command }[], fromMs: number, toMs: number): void {
    for (const { command } of waiting) {
      // The first request to a sandbox makes it, before it is handed in itself.
      const isRequest = command.kind === 'request' || (command.kind === 'touch' && command.make);
      if (isRequest) this.refuseRequest(command.sandbox, fromMs, toMs);
    }
  }

  refuseRequest(sandbox: Sandbox, fromMs: number, toMs: number): void {
    this.#unsaid++;
    this.#add(sandbox, { fromMs, toMs, refused: 1 });
  }

  /** A request that was refused was done after all, so that the journal shows it. */
  found(sandbox: Sandbox): void {
    const outage = this.#untold.get(sandbox);
    if (outage !== undefined) this.#untold.set(sandbox, { ...outage, refused: Math.max(0, outage.refused - 1) });
  }

  #add(sandbox: Sandbox, { fromMs, toMs, refused }: Outage): void {
    const before = this.#untold.get(sandbox) ?? { fromMs, toMs, refused: 0 };
    this.#untold.set(sandbox, {
      fromMs: Math.min(before.fromMs, fromMs),
      toMs: Math.max(before.toMs, toMs),
      refused: before.refused + refused,
    });
    const [oldest] = this.#untold.keys();
    if (this.#untold.size > mostSandboxes) this.#untold.delete(oldest);
  }

  /** People are told that the store is away. */
  sayAway(): void {
    this.#isSaid = true;
  }

  /** People are told that it is back. @returns how many requests were refused meanwhile */
  sayBack(): number {
    const refused = this.#unsaid;
    this.#isSaid = false;
    this.#unsaid = 0;
    return refused;
  }

  /** What of a sandbox the log does not tell yet. */
  untold(sandbox: Sandbox): readonly Outage[] {
    const untold = this.#untold.get(sandbox);
    const telling = [...this.#telling].filter((command) => command.sandbox === sandbox);
    return untold === undefined ? telling : [...telling, untold];
  }

  /**
   * Something could be written again.
   * @param nowMs the instant until which nothing could be
   * @param isThere whether there is a sandbox: what was refused before it is made is told when it is
   * @returns what tells of it in the log; `settle` is to be called with each
   */
  end(nowMs: number, isThere: (sandbox: Sandbox) => boolean): readonly OutageCommand[] {
    if (!this.#isSaid) this.#unsaid = 0;
    const commands: OutageCommand[] = [];
    for (const [sandbox, { fromMs, refused, isOver, ...outage }] of this.#untold) {
      const toMs = isOver ? outage.toMs : Math.max(outage.toMs, Math.floor(nowMs));
      if (!isThere(sandbox)) {
        this.#untold.set(sandbox, { fromMs, toMs, refused, isOver: true });
        continue;
      }
      const command: OutageCommand = { kind: 'storeAway', sandbox, fromMs, toMs, refused };
      this.#untold.delete(sandbox);
      this.#telling.add(command);
      commands.push(command);
    }
    return commands;
  }

  /** What became of a command that tells: what was not written is told again, and what may still come is waited for. */
  settle(command: OutageCommand, result: CommandResult): void {
    const error = 'error' in result ? result.error : undefined;
    const isUnwritten = error instanceof LogUnavailableError;
    if (isUnwritten && error.isUncertain) return;
    if (this.#telling.delete(command) && isUnwritten) this.#add(command.sandbox, command);
  }

  /** Another life of the log begins, in which nothing comes any more of what was handed in before: better twice than never. */
  tellAgain(): void {
    for (const command of this.#telling) this.#add(command.sandbox, command);
    this.#telling.clear();
  }
}
