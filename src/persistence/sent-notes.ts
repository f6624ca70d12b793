import type { SentCommand } from './command.js';
import type { Waiting } from './command-queues.js';

type Noted = SentCommand['answers'][number];

/** How answers were sent, by sandbox, until it is written. */
export class SentNotes {
  #notes = new Map<string, Noted[]>();

  get isEmpty(): boolean {
    return this.#notes.size === 0;
  }

  add(sandbox: string | undefined, ...note: Noted): void {
    const name = sandbox ?? '';
    const noted = this.#notes.get(name);
    if (noted === undefined) this.#notes.set(name, [note]);
    else noted.push(note);
  }

  /** The commands that tell of it. */
  take(): Waiting[] {
    if (this.isEmpty) return [];
    const notes = this.#notes;
    this.#notes = new Map();
    return Array.from(notes, ([name, answers]) => ({
      command: { kind: 'sent', ...(name !== '' && { sandbox: name }), answers },
      done: undefined,
    }));
  }
}
