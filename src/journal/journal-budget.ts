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

/** The memory that several journals share: a simulator and its forks. Past the limit the largest drop their oldest records. */
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

  /** Cuts the largest journals to one size, so that a server with many sandboxes does not come back for each of them. */
  #free(): void {
    const members = this.#living();
    // Counted again, because a member that is gone took its share with it.
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

  /** Those that are still there, the largest first. */
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
