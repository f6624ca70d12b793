import { RecordRow } from './record-row.js';
import type { Delivery, RequestRecord } from './request-record.js';

const fewestRows = 32;

/**
 * Records in the order in which they came, in places that are used again. A record lives for some thousand requests, and
 * what lives is copied twice by the garbage collector: with new objects for each request that took longer than the request
 * itself, and its pauses were most of the slowest hundredth. What is given out is a copy.
 */
export class RecordRing {
  /** Made when they are first needed. */
  #rows: (RecordRow | undefined)[] = [];
  #first = 0;
  #size = 0;
  /** How many read rows in place, which stay as they are for so long. */
  #readers = 0;
  readonly #mostRows: number;

  /** @param mostRows records are never more than these: the oldest is removed before the next one comes */
  constructor(mostRows: number) {
    this.#mostRows = mostRows;
  }

  get size(): number {
    return this.#size;
  }

  push(record: RequestRecord, bytes: number): void {
    if (this.#size === this.#rows.length) this.#grow();
    const place = this.#placeOf(this.#size++);
    let row = this.#rows[place];
    if (row === undefined || this.#readers > 0) {
      row = new RecordRow();
      this.#rows[place] = row;
    }
    row.set(record, bytes);
  }

  /** Removes the oldest record. @returns what it took */
  shift(): number {
    const row = this.#rows[this.#first] as RecordRow;
    this.#first = this.#placeOf(1);
    this.#size--;
    if (this.#readers === 0) row.empty();
    return row.bytes;
  }

  clear(): void {
    this.#rows = [];
    this.#first = 0;
    this.#size = 0;
  }

  /** Copies of the records that meet a condition, oldest first. */
  filter(meets: (record: RequestRecord) => boolean): RequestRecord[] {
    return this.#find(meets).map((row) => row.copy());
  }

  /**
   * The records that meet a condition themselves, oldest first. They stay as they are until `giveBack`, which must be called
   * as often as this.
   */
  lend(meets: (record: RequestRecord) => boolean): RequestRecord[] {
    this.#readers++;
    return this.#find(meets);
  }

  giveBack(): void {
    this.#readers--;
  }

  /** A copy of the record with the highest id that meets a condition. */
  latest(meets: (record: RequestRecord) => boolean): RequestRecord | undefined {
    let latest: RecordRow | undefined;
    for (let at = 0; at < this.#size; at++) {
      const row = this.#rows[this.#placeOf(at)] as RecordRow;
      if (row.id > (latest?.id ?? 0) && meets(row)) latest = row;
    }
    return latest?.copy();
  }

  /** Calls `visit` with each record itself, oldest first. It may change after the call. */
  forEach(visit: (record: RequestRecord) => void): void {
    for (let at = 0; at < this.#size; at++) visit(this.#rows[this.#placeOf(at)] as RecordRow);
  }

  /** The records from a position on, 0 the oldest. */
  slice(from: number, most: number): RequestRecord[] {
    const length = Math.max(0, Math.min(most, this.#size - from));
    return Array.from({ length }, (_, at) => (this.#rows[this.#placeOf(from + at)] as RecordRow).copy());
  }

  /** Changes the newest record with this id, if there is one. */
  update(id: number, delivery: Partial<Delivery>): void {
    for (let at = this.#size - 1; at >= 0; at--) {
      const place = this.#placeOf(at);
      const row = this.#rows[place] as RecordRow;
      if (row.id !== id) continue;
      const own = this.#readers > 0 ? new RecordRow() : row;
      if (own !== row) own.set(row, row.bytes);
      this.#rows[place] = Object.assign(own, delivery);
      return;
    }
  }

  #find(meets: (record: RequestRecord) => boolean): RecordRow[] {
    const found: RecordRow[] = [];
    for (let at = 0; at < this.#size; at++) {
      const row = this.#rows[this.#placeOf(at)] as RecordRow;
      if (meets(row)) found.push(row);
    }
    return found;
  }

  #placeOf(at: number): number {
    const place = this.#first + at;
    return place < this.#rows.length ? place : place - this.#rows.length;
  }

  #grow(): void {
    const inOrder = [...this.#rows.slice(this.#first), ...this.#rows.slice(0, this.#first)];
    inOrder.length = Math.min(this.#mostRows, Math.max(fewestRows, 2 * inOrder.length));
    this.#rows = inOrder;
    this.#first = 0;
  }
}
