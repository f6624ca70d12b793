import type { RequestRecord } from '../requests/request-record.js';
import type { SizedRecord } from './record-bytes.js';

/** Records of a journal in the order of their responses: the members of an array that a journal uses. */
export interface RecordList {
  readonly length: number;
  push(record: RequestRecord): number;
  at(index: number): RequestRecord | undefined;
  slice(from: number, to?: number): RequestRecord[];
  /** Tests the records from the last one on, by their ids only, because other fields may be packed. */
  findLastIndex(matches: (record: Pick<RequestRecord, 'id'>, index: number) => boolean): number;
  /** Replaces one record. */
  splice(index: number, count: 1, record: RequestRecord): unknown;
  /** Removes the first record. */
  shift(): SizedRecord | undefined;
}

/**
 * Journal that shares a memory budget with other journals. If the budget is exceeded, the largest journals drop their
 * oldest records.
 */
interface Member {
  /** Memory that the journal's records use now, in bytes. */
  readonly bytes: number;
  /** Drops the journal's oldest records until `bytes` are freed or one record is left. */
  drop(bytes: number): void;
}

/**
 * Memory limit for all journals together, in bytes. Prevents a server with many sandboxes from running out of memory.
 */
const defaultLimitBytes = 64 * 1024 * 1024;

/**
 * Share of the journals' memory limit that is freed at once. A larger share avoids frequent trimming, each time with a
 * scan of all journals.
 */
const freedShare = 1 / 16;

/**
 * Memory budget shared by several journals (a simulator and its forks). Above the limit, the largest journals drop
 * their oldest records.
 */
export class JournalBudget {
  readonly #limitBytes: number;
  /**
   * The journals that share the memory budget. Weak references allow unused copies of a simulator to be
   * garbage-collected.
   */
  readonly #members = new Set<WeakRef<Member>>();
  #bytes = 0;
  /** Creates the list in which a journal stores its records. */
  createList: () => RecordList = () => [];

  constructor(limitBytes = defaultLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  join(member: Member): void {
    this.#members.add(new WeakRef(member));
  }

  /** Removes a journal from the shared memory budget, because its simulator is no longer used. */
  leave(member: Member): void {
    for (const reference of this.#members) if (reference.deref() === member) this.#members.delete(reference);
    this.#bytes -= member.bytes;
  }

  /**
   * Adds the growth of a journal to the memory that all journals of the budget use, in bytes; negative if the journal
   * has shrunk.
   */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (bytes > 0 && this.#bytes > this.#limitBytes) this.#free();
  }

  /**
   * Removes the oldest requests of the largest journals until all journals fit into the memory limit. Trims the largest
   * journals to one common size, because trimming only one would soon require another scan of all journals.
   */
  #free(): void {
    const members = this.#living();
    // The old total size still includes journals that the garbage collector has removed.
    this.#bytes = members.reduce((total, { bytes }) => total + bytes, 0);
    if (this.#bytes <= this.#limitBytes) return;
    let left = this.#limitBytes * (1 - freedShare) - this.#bytes;
    for (const [index, { bytes }] of members.entries()) {
      left += bytes;
      const most = left / (index + 1);
      if (most < (members[index + 1]?.bytes ?? 0)) continue;
      for (const member of members.slice(0, index + 1)) member.drop(member.bytes - most);
      return;
    }
  }

  /** Lists the journals that share this memory budget, largest first. Removes journals that were garbage-collected. */
  #living(): Member[] {
    const members: Member[] = [];
    for (const reference of this.#members) {
      const member = reference.deref();
      if (member === undefined) this.#members.delete(reference);
      else members.push(member);
    }
    return members.sort((a, b) => b.bytes - a.bytes);
  }
}
