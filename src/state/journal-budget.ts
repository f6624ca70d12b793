/** A journal as its budget sees it. */
interface Member {
  /** What its records take. */
  readonly bytes: number;
  /** Drops the oldest records until `bytes` are freed or one is left. */
  drop(bytes: number): void;
}

/** Of all journals together: a server with many sandboxes must not fill the memory. */
const defaultLimitBytes = 64 * 1024 * 1024;

/** How much is freed at once, so that a full budget is not looked at for every request. */
const freedShare = 1 / 16;

/** The memory that several journals share: a simulator and its forks. Past the limit the largest journal drops its oldest records. */
export class JournalBudget {
  readonly #limitBytes: number;
  /** Weak, so that a fork that nobody uses any more is freed. */
  readonly #members = new Set<WeakRef<Member>>();
  #bytes = 0;

  constructor(limitBytes = defaultLimitBytes) {
    this.#limitBytes = limitBytes;
  }

  join(member: Member): void {
    this.#members.add(new WeakRef(member));
  }

  /** Forgets a member that nobody reads any more. */
  leave(member: Member): void {
    for (const reference of this.#members) if (reference.deref() === member) this.#members.delete(reference);
    this.#bytes -= member.bytes;
  }

  /** Reports that a member has grown, or shrunk by a negative number. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (bytes > 0 && this.#bytes > this.#limitBytes) this.#free();
  }

  #free(): void {
    let largest: Member | undefined;
    let total = 0;
    for (const reference of this.#members) {
      const member = reference.deref();
      if (member === undefined) {
        this.#members.delete(reference);
        continue;
      }
      total += member.bytes;
      if (largest === undefined || member.bytes > largest.bytes) largest = member;
    }
    // Counted again, because a member that is gone took its share with it.
    this.#bytes = total;
    if (total > this.#limitBytes) largest?.drop(total - this.#limitBytes + this.#limitBytes * freedShare);
  }
}
