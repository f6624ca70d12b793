import { checkWith } from '../scenario/check-scenario.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText, parseJson } from '../values/json.js';
import { runToEnd } from '../values/steps.js';
import { exportState, importState } from './export-state.js';
import { type ExportedState, stateSchema } from './state-schema.js';

/** Where a page keeps its state between loads: `sessionStorage` or `localStorage`. */
export interface StateStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** Name of the storage item. */
const itemName = 'petstore-sim';
/** A browser keeps about five million characters of a site, and the site needs some itself. */
const mostCharacters = 1_000_000;
/** Fewer than fill the space, so that a large store is not written out only to be found too long. */
const mostPets = 10_000;

/** The fingerprint is of the scenario in the code: a state of another scenario is not restored. */
interface Saved {
  fingerprint: string;
  savedAtMs: number;
  state: ExportedState;
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
  coreOf(sim).resetListeners.push(() => {
    storage.removeItem(itemName);
    isKept = false;
  });
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
    const state = exportState(sim.snapshot());
    const text = jsonText({ fingerprint: startedFrom, savedAtMs, state } satisfies Saved);
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
    const { fingerprint: savedFrom, savedAtMs, state } = parseJson(text) as unknown as Saved;
    if (savedFrom !== startedFrom) throw new Error('of another scenario');
    const snapshot = runToEnd(importState(sim, checkWith(stateSchema, state, 'state')));
    const { clock, resolved } = snapshot;
    const elapsedMs = clock.frozen ? 0 : Math.max(0, nowMs - savedAtMs) * (resolved.clock.speed ?? 1);
    sim.restore({ ...snapshot, clock: { ...clock, nowMs: Math.round(clock.nowMs + elapsedMs) } });
  } catch {
    // Cut, changed by hand, or of another version.
    sim.restore(before);
    storage.removeItem(itemName);
  }
}
