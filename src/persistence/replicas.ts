/** Process that shares a log with others. */
export interface Replica {
  readonly name: string;
  /** The replica's version of petstore-sim. */
  readonly version: string;
  /** Zero-based slot; a freed slot is reused. */
  readonly number: number;
  /** Value of `activeMs` at the replica's last entry. */
  lastMs: number;
  /** Set after the replica has left. Its name remains while one of its entries may still arrive. */
  hasParted?: true;
}

export interface ReplicasState {
  readonly list: readonly Replica[];
  /** Time in which the store was writable, in milliseconds. */
  readonly activeMs: number;
}

/** Lease of a replica: writable time without an entry after which it counts as gone, in milliseconds. */
const goneAfterMs = 10_000;
/**
 * Maximum time between two entries of a writable store, in milliseconds, because every replica writes heartbeats. A
 * longer silence affects all replicas and expires no lease.
 */
const longestPauseMs = 3_000;
/** Exclusive upper bound of a replica's connection numbers. */
const connectionsEach = 10_000;

/** Live replicas of a log, computed from its entries alone, so that all processes agree. */
export class Replicas {
  readonly #replicas = new Map<string, Replica>();
  /** Sum of the time in which the store was writable, in milliseconds. */
  #activeMs = 0;

  constructor(state?: ReplicasState) {
    this.#activeMs = state?.activeMs ?? 0;
    for (const replica of state?.list ?? []) this.#replicas.set(replica.name, { ...replica });
  }

  /** State for a snapshot; `undefined` for a log without replicas. */
  get state(): ReplicasState | undefined {
    if (this.#activeMs === 0 && this.#replicas.size === 0) return undefined;
    return { list: [...this.#replicas.values()].map((replica) => ({ ...replica })), activeMs: this.#activeMs };
  }

  /** Whether no replica has ever joined. */
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
   * Renews the lease of the replica that wrote an entry.
   * @param passedMs time since the previous entry, in milliseconds
   * @returns replicas whose lease has expired
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

  /** Marks a replica as left. @returns the replica, if it was live */
  leave(name: string): Replica | undefined {
    const replica = this.#replicas.get(name);
    if (replica === undefined || replica.hasParted) return undefined;
    replica.hasParted = true;
    return replica;
  }

  /** Number of a connection, unique among all replicas; `undefined` for an unknown replica or connection. */
  connectionOf(name: string, connection: number | undefined): number | undefined {
    const replica = this.#replicas.get(name);
    return replica === undefined || connection === undefined
      ? undefined
      : replica.number * connectionsEach + (connection % connectionsEach);
  }
}

/** Whether a connection belongs to a replica. */
export const isConnectionOf = ({ number }: Replica, connection: number | undefined): boolean =>
  connection !== undefined && Math.floor(connection / connectionsEach) === number;
