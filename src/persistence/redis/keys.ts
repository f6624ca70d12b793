/** Keys of one log in the store. The braces are a hash tag: a cluster stores all keys in one slot. */
export interface StoreKeys {
  /** String with the identity of the log. */
  readonly birth: string;
  /** Stream of entries. */
  readonly log: string;
  /** Hash from the position of a snapshot to its header. */
  readonly snapshots: string;
  /** List with the chunks of a snapshot. */
  chunks(id: string): string;
  /** Stream of entries that were moved out of the log. */
  aside(id: string): string;
}

export function keysOf(name: string): StoreKeys {
  const start = `petstore-sim:{${name}}`;
  return {
    birth: `${start}:birth`,
    log: `${start}:log`,
    snapshots: `${start}:snapshots`,
    aside: (id) => `${start}:aside:${id}`,
    chunks: (id) => `${start}:snapshot:${id}`,
  };
}
