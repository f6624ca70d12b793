/** So many are remembered. */
const most = 4_096;

/** The hashes of what the last entries answered. */
export class RecentHashes {
  readonly #hashes: string[] = Array.from({ length: most }, () => '');
  #last = 0;

  add(position: number, hash: string): void {
    this.#hashes[position % most] = hash;
    this.#last = position;
  }

  /** Whether an entry answered something else here; `false` where that is not remembered. */
  isOther(position: number, hash: string): boolean {
    if (position > this.#last || position <= this.#last - most) return false;
    const own = this.#hashes[position % most];
    return own !== '' && own !== hash;
  }
}
