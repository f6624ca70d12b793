import type { EntryBuffer, Row } from './entry-buffer.js';

/** The requests that meet a test, kept while new ones come, so that only the new ones are tested. */
export class FilteredRows {
  rows: Row[] = [];
  #entries: EntryBuffer | undefined;
  #test: ((row: Row) => boolean) | undefined;
  #lastId = 0;
  #count = 0;

  /** @param test the same function as before while the filter is the same @returns how many were added at the end */
  update(entries: EntryBuffer, test: (row: Row) => boolean): number {
    const { rows } = entries;
    const last = rows.at(-1)?.id ?? 0;
    const cameAtEnd = rows.length - this.#count;
    // A request whose answer was delayed comes between others; then all are looked at again.
    const start = rows.length - Math.max(0, cameAtEnd);
    const isAppended = entries === this.#entries && test === this.#test && (rows[start - 1]?.id ?? 0) === this.#lastId;
    this.#entries = entries;
    this.#test = test;
    this.#lastId = last;
    this.#count = rows.length;
    if (!isAppended) {
      const before = this.rows.length;
      this.rows = rows.filter(test);
      return Math.max(0, this.rows.length - before);
    }
    const added = rows.slice(start).filter(test);
    this.rows.push(...added);
    return added.length;
  }
}
