import type { RuleCounts } from '../faults/fault-rules.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { type StoredPet, toStored } from '../state/pet.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText, parseJson } from '../values/json.js';
import type { Simulator, Snapshot } from './simulator.js';

/** Where a page keeps its state between loads: `sessionStorage` or `localStorage`. */
export interface StateStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** The name in the storage. */
const itemName = 'petstore-sim';
/** Raised when what was saved before can no longer be read. */
const formatVersion = 1;
/** A browser keeps about five million characters of a site, and the site needs some itself. */
const mostCharacters = 1_000_000;
/** Fewer than fill the space, so that a large store is not written out only to be found too long. */
const mostPets = 10_000;

/** What is saved. The fingerprint is of the scenario in the code: another one must not meet the state of this one. */
interface Saved {
  version: typeof formatVersion;
  fingerprint: string;
  savedAtMs: number;
  scenario: Scenario;
  clock: Snapshot['clock'];
  pets: { pets: StoredPet[]; nextId: StoredPet['id'] };
  keys: Snapshot['keys'];
  faults: Pick<Snapshot['faults'], 'rules' | 'startMs'> & {
    counts: [name: string, counts: Omit<RuleCounts, 'failed'> & { failed: [string, number][] }][];
  };
}

/**
 * Gives a simulator the state that another one of the same scenario has left in a storage, and saves its own there. A
 * reset clears it. What does not fit is not saved; what cannot be read is passed over.
 * @param readMs the time of the machine, which goes on between two loads
 * @param onTooLarge called once, when the state is not saved for its size
 * @returns `save` saves the state as it is now; so does `leave`, unless somebody has cleared the storage since the last time
 */
export function persistState(
  sim: Simulator,
  storage: StateStorage,
  readMs: () => number,
  onTooLarge: (message: string) => void,
): { save(): void; leave(): void } {
  const startedFrom = fingerprint(jsonText(sim.scenario));
  restore(sim, storage, startedFrom, readMs());
  // On this object, because a reset is no request, and the state of before must not come back after it.
  const { reset } = sim;
  sim.reset = () => {
    reset();
    storage.removeItem(itemName);
    isKept = false;
  };
  let isKept = storage.getItem(itemName) !== null;
  let isTold = false;
  const saveNow = () => {
    const failure = save(sim, storage, startedFrom, readMs());
    isKept = failure === undefined;
    if (isKept || isTold) return;
    isTold = true;
    onTooLarge(`petstore-sim: the state is not kept for the next load of the page, ${failure}.`);
  };
  return {
    save: saveNow,
    leave() {
      if (!isKept || storage.getItem(itemName) !== null) saveNow();
    },
  };
}

/** @returns why it could not be saved */
function save(sim: Simulator, storage: StateStorage, startedFrom: string, savedAtMs: number): string | undefined {
  let failure = sim.pets.size > mostPets ? `because it has more than ${mostPets} pets` : undefined;
  if (failure === undefined) {
    const { resolved, clock, pets, keys, faults } = sim.snapshot();
    const saved: Saved = {
      version: formatVersion,
      fingerprint: startedFrom,
      savedAtMs,
      scenario: resolved.scenario,
      clock,
      pets: { pets: pets.pets.map((pet) => ({ ...pet, json: '' })), nextId: pets.nextId },
      keys,
      faults: {
        ...faults,
        counts: faults.counts.map(([name, counts]) => [name, { ...counts, failed: [...counts.failed] }]),
      },
    };
    const text = jsonText(saved);
    if (text.length > mostCharacters) failure = `because it takes more than ${mostCharacters} characters`;
    else {
      try {
        storage.setItem(itemName, text);
      } catch (error) {
        failure = `because the storage refused it: ${error instanceof Error ? error.message : error}`;
      }
    }
  }
  // What is there from before is no longer true.
  if (failure !== undefined) storage.removeItem(itemName);
  return failure;
}

function restore(sim: Simulator, storage: StateStorage, startedFrom: string, nowMs: number): void {
  const text = storage.getItem(itemName);
  if (text === null) return;
  const before = sim.snapshot();
  try {
    const saved = parseJson(text) as unknown as Saved;
    if (saved.version !== formatVersion || saved.fingerprint !== startedFrom) throw new Error('of another time');
    const isSame = jsonText(saved.scenario) === jsonText(before.resolved.scenario);
    const resolved = isSame ? before.resolved : sim.check(saved.scenario);
    const { frozen } = saved.clock;
    const elapsedMs = frozen ? 0 : Math.max(0, nowMs - saved.savedAtMs) * (resolved.clock.speed ?? 1);
    sim.restore({
      resolved,
      petsFrom: resolved,
      clock: { ...saved.clock, nowMs: saved.clock.nowMs + elapsedMs },
      pets: { pets: saved.pets.pets.map(toStored), nextId: saved.pets.nextId },
      keys: saved.keys,
      faults: {
        ...saved.faults,
        counts: saved.faults.counts.map(([name, counts]) => [name, { ...counts, failed: new Map(counts.failed) }]),
      },
    });
  } catch {
    // Cut, or changed by hand.
    sim.restore(before);
    storage.removeItem(itemName);
  }
}
