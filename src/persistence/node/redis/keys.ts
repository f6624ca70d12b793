/** Redis keys of one log. The braces make a Redis cluster store all keys on one node. */
export interface StoreKeys {
  /** Redis key of the log's id, a string. */
  readonly identity: string;
  /** Redis key of the log's entries, a stream. */
  readonly log: string;
  /**
   * Redis key of a hash that contains the metadata of each snapshot, such as size and checksum, by the snapshot's log
   * position.
   */
  readonly snapshots: string;
  /** Redis key of the list that contains the chunks of a snapshot of the server's state. */
  chunks(id: string): string;
  /** Redis key of a stream with the entries that were moved out of the log. */
  aside(id: string): string;
}

export function keysOf(name: string): StoreKeys {
  const start = `petstore-sim:{${name}}`;
  return {
    identity: `${start}:birth`,
    log: `${start}:log`,
    snapshots: `${start}:snapshots`,
    aside: (id) => `${start}:aside:${id}`,
    chunks: (id) => `${start}:snapshot:${id}`,
  };
}
