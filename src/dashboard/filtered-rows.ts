import { findLowest } from '../values/find-lowest.js';
import type { EntryBuffer, Row } from './entry-buffer.js';

/** List of the requests that pass a filter. An update tests only new requests. */
export class FilteredRows {
  rows: Row[] = [];
  #entries: EntryBuffer | undefined;
  #test: ((row: Row) => boolean) | undefined;
  #lastId = 0;
  #insertions = 0;

  /**
   * Updates the list of matching requests.
   * @param test filter; must be the same function while the filter is unchanged, because an update then tests only new
   * requests
   * @returns number of appended requests
   */
  update(entries: EntryBuffer, test: (row: Row) => boolean): number {
    const { rows, insertions } = entries;
    const isAppended = entries === this.#entries && test === this.#test && insertions === this.#insertions;
    const lastId = isAppended ? this.#lastId : 0;
    this.#entries = entries;
    this.#test = test;
    this.#insertions = insertions;
    this.#lastId = rows.at(-1)?.id ?? 0;
    const added = rows.slice(after(rows, lastId)).filter(test);
    const before = this.rows.length;
    if (!isAppended) {
      this.rows = added;
      return Math.max(0, added.length - before);
    }
    const dropped = after(this.rows, (rows[0]?.id ?? 0) - 1);
    if (dropped > 0) this.rows = this.rows.slice(dropped);
    this.rows.push(...added);
    return added.length;
  }
}

/** Returns the index of the first row of the request list whose request id is greater than `id`. */
const after = (rows: readonly Row[], id: number) => findLowest(rows.length, (index) => (rows[index] as Row).id > id);
