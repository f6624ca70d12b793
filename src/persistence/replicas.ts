/** Replica: a server that shares a log with others. */
export interface Replica {
  readonly name: string;
  /** Version of petstore-sim that the replica runs. */
  readonly version: string;
  /** Number of the replica from 0. The number of a replica that has left is used again. */
  readonly number: number;
  /**
   * Total time in which the store had worked when the replica last wrote an entry, in milliseconds since the log's
   * start. Outages of the store do not count.
   */
  lastMs: number;
  /** Set when the replica has left. Its name remains, because late entries of the replica may still arrive. */
  hasParted?: true;
}

export interface ReplicasState {
  readonly list: readonly Replica[];
  /** Time in which the store worked since the log's start, in milliseconds. */
  readonly activeMs: number;
}

/**
 * Time without a log entry after which a replica counts as gone, in milliseconds. Outages of the store are not counted.
 */
const goneAfterMs = 10_000;
/**
 * Longest gap between two log entries during which the store counts as available, in milliseconds. The rest of a longer
 * gap is an outage, because each replica writes an entry every two seconds.
 */
const longestPauseMs = 3_000;
/**
 * Size of each replica's range of connection numbers. Separate ranges make connection numbers unique among all
 * replicas.
 */
const connectionsEach = 10_000;

/** Live replicas of a log. The list depends only on the log's entries, so that all servers agree. */
export class Replicas {
  readonly #replicas = new Map<string, Replica>();
  /** Total time in which the store was available, in milliseconds. */
  #activeMs = 0;

  constructor(state?: ReplicasState) {
    this.#activeMs = state?.activeMs ?? 0;
    for (const replica of state?.list ?? []) this.#replicas.set(replica.name, { ...replica });
  }

  /** State of the list of replicas, for a snapshot; `undefined` for a log that only one server uses. */
  get state(): ReplicasState | undefined {
    if (this.#activeMs === 0 && this.#replicas.size === 0) return undefined;
    return { list: [...this.#replicas.values()].map((replica) => ({ ...replica })), activeMs: this.#activeMs };
  }

  /** Whether no replica has joined the log. */
  get isEmpty(): boolean {
    return this.#replicas.size === 0;
  }

  list(): readonly Replica[] {
    return [...this.#replicas.values()].filter(({ hasParted }) => !hasParted);
  }

  has(name: string): boolean {
    const replica = this.#replicas.get(name);
    return replica !== undefined && !replica.hasParted;
  }

  /**
   * Notes that a replica wrote an entry, and finds the replicas that count as gone.
   * @param passedMs time since the previous entry, in milliseconds
   * @returns the replicas that are gone
   */
  wrote(name: string, passedMs: number): readonly Replica[] {
    if (this.#replicas.size === 0) return [];
    this.#activeMs += Math.min(passedMs, longestPauseMs);
    const writer = this.#replicas.get(name);
    if (writer !== undefined) writer.lastMs = this.#activeMs;
    const gone: Replica[] = [];
    for (const replica of this.#replicas.values()) {
      if (this.#activeMs - replica.lastMs <= goneAfterMs) continue;
      this.#replicas.delete(replica.name);
      gone.push(replica);
    }
    return gone;
  }

  join(name: string, version: string): void {
    if (this.has(name)) return;
    const taken = new Set(this.list().map(({ number }) => number));
    let number = 0;
    while (taken.has(number)) number++;
    this.#replicas.set(name, { name, version, number, lastMs: this.#activeMs });
  }

  /**
   * Notes that a replica has left.
   * @returns the replica, if it was live
   */
  leave(name: string): Replica | undefined {
    const replica = this.#replicas.get(name);
    if (replica === undefined || replica.hasParted) return undefined;
    replica.hasParted = true;
    return replica;
  }

  /**
   * Converts the connection number of one replica to a number that is unique among all replicas. Returns `undefined`
   * for an unknown replica or connection.
   */
  connectionOf(name: string, connection: number | undefined): number | undefined {
    const replica = this.#replicas.get(name);
    return replica === undefined || connection === undefined
      ? undefined
      : replica.number * connectionsEach + (connection % connectionsEach);
  }
}

/** Whether a connection number is from the range of a replica (one of several servers that share a log). */
export const isConnectionOf = ({ number }: Replica, connection: number | undefined): boolean =>
  connection !== undefined && Math.floor(connection / connectionsEach) === number;
