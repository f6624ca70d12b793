import type { Simulator, Snapshot } from './simulator.js';

/** Snapshots that a simulator keeps under a name. */
export interface SnapshotInfo {
  name: string;
  /** The scenario that was in force. */
  scenario: string;
  /** The instant of the simulator's clock, ISO 8601. */
  now: string;
  pets: number;
}

/** Each holds a list of all animals. */
const mostSnapshots = 50;

/** The named snapshots of one simulator. A reset or another scenario leaves them alone. */
export class Snapshots {
  readonly #sim: Pick<Simulator, 'snapshot' | 'restore'>;
  readonly #snapshots = new Map<string, Snapshot>();

  constructor(sim: Pick<Simulator, 'snapshot' | 'restore'>) {
    this.#sim = sim;
  }

  list(): SnapshotInfo[] {
    return [...this.#snapshots].map(([name, { world, clock, pets }]) => ({
      name,
      scenario: world.name,
      now: new Date(clock.nowMs).toISOString(),
      pets: pets.pets.length,
    }));
  }

  /**
   * Saves the state under a name, in the place of one of that name.
   * @throws {RangeError} when there are as many as are kept
   */
  save(name: string): void {
    if (this.#snapshots.size >= mostSnapshots && !this.#snapshots.has(name)) {
      throw new RangeError(`Failed to save a snapshot: expected at most ${mostSnapshots} of them; remove one first`);
    }
    this.#snapshots.set(name, this.#sim.snapshot());
  }

  /** Goes back to a snapshot, as often as wanted; `false` when there is none of this name. */
  restore(name: string): boolean {
    const snapshot = this.#snapshots.get(name);
    if (snapshot !== undefined) this.#sim.restore(snapshot);
    return snapshot !== undefined;
  }

  /** `false` when there is none of this name. */
  remove(name: string): boolean {
    return this.#snapshots.delete(name);
  }
}
