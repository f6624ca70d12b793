/** The keys of one log in the store. By the braces a cluster keeps them in one place. */
export interface StoreKeys {
  /** A text: what the log began with. */
  readonly birth: string;
  /** The stream of entries. */
  readonly log: string;
  /** A hash: position of a snapshot to its header. */
  readonly snapshots: string;
  /** A list: the chunks of a snapshot. */
  chunks(id: string): string;
  /** A stream: entries that were taken out of the log. */
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
