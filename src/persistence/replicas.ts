/** A process that serves the state of a log beside others. */
export interface Replica {
  readonly name: string;
  /** The version of petstore-sim that it runs. */
  readonly version: string;
  /** Counted from 0; one that is gone leaves its number to the next. */
  readonly number: number;
  /** When it wrote last, as `quietMs` counts. */
  lastMs: number;
  /** It has said that it goes. Its name is remembered for as long as an entry of it may still be on its way. */
  hasParted?: true;
}

export interface ReplicasState {
  readonly list: readonly Replica[];
  readonly activeMs: number;
}

/** A replica that has written nothing for so long is gone, for all alike. */
const goneAfterMs = 10_000;
/**
 * The most that passes between two entries while the store can be written to, because every replica writes a beat. A longer
 * silence is one of all, and nobody is gone for it.
 */
const longestPauseMs = 3_000;
/** Connections of a replica are numbered below this. */
const connectionsEach = 10_000;

/** The replicas of a log, as a function of its entries: who has joined, and who is gone. */
export class Replicas {
  readonly #replicas = new Map<string, Replica>();
  /** How much time has passed in which somebody could write. */
  #activeMs = 0;

  constructor(state?: ReplicasState) {
    this.#activeMs = state?.activeMs ?? 0;
    for (const replica of state?.list ?? []) this.#replicas.set(replica.name, { ...replica });
  }

  /** `undefined` where there never was one. */
  get state(): ReplicasState | undefined {
    if (this.#activeMs === 0 && this.#replicas.size === 0) return undefined;
    return { list: [...this.#replicas.values()].map((replica) => ({ ...replica })), activeMs: this.#activeMs };
  }

  /** Whether there never was one. */
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
   * Notes that a replica has written an entry.
   * @param passedMs since the entry before it
   * @returns those that are gone by now
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

  /** @returns the replica, if it was there */
  part(name: string): Replica | undefined {
    const replica = this.#replicas.get(name);
    if (replica === undefined || replica.hasParted) return undefined;
    replica.hasParted = true;
    return replica;
  }

  /** The number of a connection among those of all replicas; `undefined` where nobody knows whose it is. */
  connectionOf(name: string, connection: number | undefined): number | undefined {
    const replica = this.#replicas.get(name);
    return replica === undefined || connection === undefined
      ? undefined
      : replica.number * connectionsEach + (connection % connectionsEach);
  }
}

/** Whether a connection is one of a replica. */
export const isConnectionOf = ({ number }: Replica, connection: number | undefined): boolean =>
  connection !== undefined && Math.floor(connection / connectionsEach) === number;
