import type { SentCommand } from './command.js';
import type { PendingCommand } from './command-queues.js';

type Delivery = SentCommand['answers'][number];

/** Collects records of sent responses until the server appends them to its log (`--data`). */
export class PendingDeliveries {
  #pending = new Map<string, Delivery[]>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  add(sandbox: string | undefined, ...delivery: Delivery): void {
    const name = sandbox ?? '';
    const list = this.#pending.get(name);
    if (list === undefined) this.#pending.set(name, [delivery]);
    else list.push(delivery);
  }

  /** Returns the records of sent responses for the server's log, and clears this collection. */
  take(): PendingCommand[] {
    if (this.isEmpty) return [];
    const pending = this.#pending;
    this.#pending = new Map();
    return Array.from(pending, ([name, answers]) => ({
      command: { kind: 'sent', ...(name !== '' && { sandbox: name }), answers },
      done: undefined,
    }));
  }
}
