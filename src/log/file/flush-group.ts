import { close, fdatasync } from 'node:fs';
import { promisify } from 'node:util';
import { flushFolder } from './folder-files.js';

const flushFile = promisify(fdatasync);
const closeFile = promisify(close);

/** Flushes for all who wait with one call: whoever asks while one runs is part of the next. */
export class FlushGroup {
  readonly #folder: string;
  readonly #files = new Set<number>();
  readonly #retired = new Set<number>();
  #isFolderFlushed = true;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Resolves when what has been written to the file until now is flushed, and what was asked for before it. */
  flush(file: number): Promise<void> {
    this.#files.add(file);
    this.#next ??= this.#running.then(() => this.#run());
    return this.#next;
  }

  /** The log goes on in another file: flushes this one a last time and closes it. */
  retire(file: number): void {
    this.#files.add(file);
    this.#retired.add(file);
    this.#isFolderFlushed = false;
  }

  #run(): Promise<void> {
    const files = [...this.#files];
    // Now and not at its end: one that is retired meanwhile may have been written to since, and the next flushes it.
    const retired = [...this.#retired];
    this.#files.clear();
    this.#retired.clear();
    this.#next = undefined;
    this.#running = this.#flushFiles(files, retired);
    return this.#running;
  }

  async #flushFiles(files: readonly number[], retired: readonly number[]): Promise<void> {
    for (const file of files) await flushFile(file);
    if (!this.#isFolderFlushed) {
      this.#isFolderFlushed = true;
      await flushFolder(this.#folder);
    }
    for (const file of retired) await closeFile(file);
  }
}
