import type { Command, StoreAwayCommand } from './command.js';

/** Notes for how long nothing could be written, and how many requests of each sandbox were refused for it. */
export class StoreAway {
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = 0;
  readonly #refused = new Map<string | undefined, number>();

  /** Notes commands that were refused. @param fromMs since when they waited, and until when */
  refuse(waiting: readonly { readonly command: Command }[], fromMs: number, toMs: number): void {
    for (const { command } of waiting) {
      if (command.kind === 'request') this.refuseRequest(command.sandbox, fromMs, toMs);
    }
  }

  refuseRequest(sandbox: string | undefined, fromMs: number, toMs: number): void {
    this.#fromMs = Math.min(this.#fromMs, fromMs);
    this.#toMs = Math.max(this.#toMs, toMs);
    this.#refused.set(sandbox, (this.#refused.get(sandbox) ?? 0) + 1);
  }

  /** How many requests were refused since something could be written. */
  get refused(): number {
    let sum = 0;
    for (const count of this.#refused.values()) sum += count;
    return sum;
  }

  /** Something could be written again. @returns what tells of it in the log */
  end(nowMs: number): readonly StoreAwayCommand[] {
    if (this.#refused.size === 0) return [];
    const fromMs = this.#fromMs;
    const toMs = Math.max(this.#toMs, Math.floor(nowMs));
    const told = Array.from(
      this.#refused,
      ([sandbox, refused]): StoreAwayCommand => ({ kind: 'storeAway', sandbox, fromMs, toMs, refused }),
    );
    this.#fromMs = Number.POSITIVE_INFINITY;
    this.#toMs = 0;
    this.#refused.clear();
    return told;
  }
}
