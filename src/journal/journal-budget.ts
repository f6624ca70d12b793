/** A journal, as the shared budget sees it. */
interface Member {
  /** Memory of the journal's records, in bytes. */
  readonly bytes: number;
  /** Drops the oldest records until `bytes` are freed or one is left. */
  drop(bytes: number): void;
}

/**
 * Memory limit for all journals together, in bytes. Prevents a server with many sandboxes from running out of memory.
 */
const defaultLimitBytes = 64 * 1024 * 1024;

/** Share of the limit to free at once, so that a full budget is not scanned for every request. */
const freedShare = 1 / 16;

/**
 * Memory budget shared by several journals (a simulator and its forks). Above the limit, the largest journals drop
 * their oldest records.
 */
export class JournalBudget {
  readonly #limitBytes: number;
  /** Weak references, so that unused forks can be garbage-collected. */
  readonly #members = new Set<WeakRef<Member>>();
  #bytes = 0;

  constructor(limitBytes = defaultLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  join(member: Member): void {
    this.#members.add(new WeakRef(member));
  }

  /** Removes a journal that is no longer read. */
  leave(member: Member): void {
    for (const reference of this.#members) if (reference.deref() === member) this.#members.delete(reference);
    this.#bytes -= member.bytes;
  }

  /** Adds to a journal's memory, in bytes; negative if it has shrunk. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (bytes > 0 && this.#bytes > this.#limitBytes) this.#free();
  }

  /** Trims the largest journals to one common size, so that the next scan is far off even with many sandboxes. */
  #free(): void {
    const members = this.#living();
    // Counted anew, because garbage-collected journals no longer take memory.
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

  /** Journals that are not garbage-collected, largest first. */
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
