import type { Command, StoreAwayCommand } from './command.js';
import type { CommandResult } from './command-result.js';
import { LogUnavailableError } from './log.js';

/** Notes for how long nothing could be written, and how many requests of each sandbox were refused for it. */
export class StoreAway {
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = 0;
  readonly #refused = new Map<string | undefined, number>();
  /** What was handed in to be told in the log, and does not stand there yet. */
  readonly #telling = new Set<StoreAwayCommand>();
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

  refuseRequest(sandbox: string | undefined, fromMs: number, toMs: number): void {
    this.#unsaid++;
    this.#add({ sandbox, fromMs, toMs, refused: 1 });
  }

  #add({ sandbox, fromMs, toMs, refused }: Omit<StoreAwayCommand, 'kind'>): void {
    this.#fromMs = Math.min(this.#fromMs, fromMs);
    this.#toMs = Math.max(this.#toMs, toMs);
    this.#refused.set(sandbox, (this.#refused.get(sandbox) ?? 0) + refused);
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
  untold(sandbox: string | undefined): readonly StoreAwayCommand[] {
    return [...this.#telling, ...this.#commands()].filter((command) => command.sandbox === sandbox);
  }

  /** Something could be written again. @returns what tells of it in the log; `settle` is to be called with each */
  end(nowMs: number): readonly StoreAwayCommand[] {
    if (!this.#isSaid) this.#unsaid = 0;
    if (this.#refused.size === 0) return [];
    this.#toMs = Math.max(this.#toMs, Math.floor(nowMs));
    const commands = this.#commands();
    for (const command of commands) this.#telling.add(command);
    this.#fromMs = Number.POSITIVE_INFINITY;
    this.#toMs = 0;
    this.#refused.clear();
    return commands;
  }

  #commands(): StoreAwayCommand[] {
    const [fromMs, toMs] = [this.#fromMs, this.#toMs];
    return Array.from(this.#refused, ([sandbox, refused]) => ({ kind: 'storeAway', sandbox, fromMs, toMs, refused }));
  }

  /** What became of a command that tells: what was not written is told again, and what may still come is waited for. */
  settle(command: StoreAwayCommand, result: CommandResult): void {
    const error = 'error' in result ? result.error : undefined;
    const isUnwritten = error instanceof LogUnavailableError;
    if (isUnwritten && error.isUncertain) return;
    if (this.#telling.delete(command) && isUnwritten) this.#add(command);
  }

  /** Another life of the log begins, in which nothing comes any more of what was handed in before: better twice than never. */
  tellAgain(): void {
    for (const command of this.#telling) this.#add(command);
    this.#telling.clear();
  }
}
