/** Capacity of the ring buffer, in entries. */
const most = 4_096;

/** Response hashes of the most recent entries. */
export class RecentHashes {
  readonly #hashes: string[] = Array.from({ length: most }, () => '');
  #last = 0;

  add(position: number, hash: string): void {
    this.#hashes[position % most] = hash;
    this.#last = position;
  }

  /** Whether this process responded differently to an entry; `false` for an entry that is no longer in memory. */
  differs(position: number, hash: string): boolean {
    if (position > this.#last || position <= this.#last - most) return false;
    const own = this.#hashes[position % most];
    return own !== '' && own !== hash;
  }
}
