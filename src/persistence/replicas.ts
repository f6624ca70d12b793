/** Replica: one of several servers that share their state by a common log in Redis. */
export interface Replica {
  readonly name: string;
  /** Version of petstore-sim that the replica runs. */
  readonly version: string;
  /** Number of the replica from 0. The number of a replica that has left is used again. */
  readonly number: number;
  /**
   * Time of the replica's last log entry, counted from the log's start. The count of milliseconds pauses during outages
   * of Redis.
   */
  lastMs: number;
  /**
   * `true` after this replica stopped sharing the log; absent before. The replica stays stored for a while, because
   * late log entries of the replica may still arrive.
   */
  hasParted?: true;
}

export interface ReplicasState {
  readonly list: readonly Replica[];
  /** Total time in which the log's Redis store was available. */
  readonly activeMs: number;
}

/**
 * Time after which a replica that has written no log entry counts as gone. Periods in which Redis was unreachable do
 * not count.
 */
const goneAfterMs = 10_000;
/**
 * Maximum time between two log entries that counts as time without an outage of Redis. Each replica writes an entry
 * every two seconds, so a longer gap shows an outage.
 */
const maximumCountedGapMs = 3_000;
/**
 * Size of each replica's range of connection numbers. Separate ranges make connection numbers unique among all
 * replicas.
 */
const connectionsEach = 10_000;

/** List of the servers that currently share one log. All servers derive the same list from the log's entries. */
export class Replicas {
  readonly #replicas = new Map<string, Replica>();
  /** Total time since the log's start in which the log's Redis store was available. */
  #activeMs = 0;

  constructor(state?: ReplicasState) {
    this.#activeMs = state?.activeMs ?? 0;
    for (const replica of state?.list ?? []) this.#replicas.set(replica.name, { ...replica });
  }

  /** State of the replicas for a snapshot; `undefined` if no replica has joined the log. */
  get state(): ReplicasState | undefined {
    if (this.#activeMs === 0 && this.#replicas.size === 0) return undefined;
    return { list: [...this.#replicas.values()].map((replica) => ({ ...replica })), activeMs: this.#activeMs };
  }

  /** Whether the list of replicas is empty, as for a log that only one server uses. */
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
   * Records that a replica wrote a log entry, and removes the replicas that have written none for too long.
   * @param passedMs time since the log's previous entry
   * @returns the removed replicas
   */
  wrote(name: string, passedMs: number): readonly Replica[] {
    if (this.#replicas.size === 0) return [];
    this.#activeMs += Math.min(passedMs, maximumCountedGapMs);
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
   * Marks a replica as departed.
   * @returns the replica; `undefined` if it is unknown or had departed before
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

/** Whether a connection number is from the range of a replica. */
export const isConnectionOf = ({ number }: Replica, connection: number | undefined): boolean =>
  connection !== undefined && Math.floor(connection / connectionsEach) === number;
