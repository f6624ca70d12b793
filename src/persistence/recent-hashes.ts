/** Number of recent log entries whose response hashes stay in memory, for comparison with other replicas. */
const maximumHashes = 4_096;

/**
 * Hashes of the responses that the most recent log entries produced, by the entry's position. Replicas compare these
 * hashes.
 */
export class RecentHashes {
  readonly #hashes: string[] = Array.from({ length: maximumHashes }, () => '');
  #last = 0;

  add(position: number, hash: string): void {
    this.#hashes[position % maximumHashes] = hash;
    this.#last = position;
  }

  /**
   * Whether this server and another replica responded differently to the requests of a log entry, by the hash of the
   * responses. Returns `false` if this server's hash is no longer in memory.
   */
  differs(position: number, hash: string): boolean {
    if (position > this.#last || position <= this.#last - maximumHashes) return false;
    const own = this.#hashes[position % maximumHashes];
    return own !== '' && own !== hash;
  }
}
