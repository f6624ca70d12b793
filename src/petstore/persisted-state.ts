import { exportState, importState, stateSchemaOf } from '../control-api/export-state.js';
import type { ExportedState } from '../control-api/state-schema.js';
import { checkWith } from '../scenario/check-scenario.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText, parseJson } from '../values/json.js';
import { runToEnd } from '../values/steps.js';
import { petState } from './exported-pets.js';

/** Browser storage that keeps a simulator's state between loads of a page: `sessionStorage` or `localStorage`. */
export interface StateStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** Name under which the browser storage contains the simulator's state. */
const itemName = 'petstore-sim';
/**
 * Maximum size of a saved state, in characters. Browsers store about five million characters per site, and the site's
 * other data needs space too.
 */
const maximumCharacters = 1_000_000;
/** Maximum number of pets in a saved state. A state with more pets would be longer than `maximumCharacters`. */
const maximumPets = 10_000;

/** Saved state of a simulator. The fingerprint identifies the scenario, so that a changed scenario starts afresh. */
interface Saved {
  fingerprint: string;
  savedAtMs: number;
  state: ExportedState;
}

/**
 * Restores a simulator's state from a browser storage. Removes an unreadable state, or a state of another scenario. A
 * reset of the simulator clears the storage.
 * @param readMs returns the machine's time; a running clock advances by the time since the save
 * @param onTooLarge called once, if a state cannot be saved
 * @returns `save` saves the current state; `leave` saves it unless a reset cleared the storage
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
    isSaved = false;
  });
  let isSaved = storage.getItem(itemName) !== null;
  let isReported = false;
  const saveNow = () => {
    const failure = save(sim, storage, startedFrom, readMs());
    isSaved = failure === undefined;
    if (isSaved || isReported) return;
    isReported = true;
    onTooLarge(`petstore-sim: the state is not saved for the next load of the page, because ${failure}.`);
  };
  return {
    save: saveNow,
    leave() {
      if (!isSaved || storage.getItem(itemName) !== null) saveNow();
    },
  };
}

/**
 * Saves the simulator's current state in the browser storage.
 * @returns the reason for a failure, or `undefined` on success
 */
function save(sim: Simulator, storage: StateStorage, startedFrom: string, savedAtMs: number): string | undefined {
  let failure = sim.pets.size > maximumPets ? `it has more than ${maximumPets} pets` : undefined;
  if (failure === undefined) {
    const state = exportState(sim, petState);
    const text = jsonText({ fingerprint: startedFrom, savedAtMs, state } satisfies Saved);
    if (text.length > maximumCharacters) failure = `it takes more than ${maximumCharacters} characters`;
    else {
      try {
        storage.setItem(itemName, text);
      } catch (error) {
        failure = `the storage refused it: ${error instanceof Error ? error.message : error}`;
      }
    }
  }
  // Removes the previously saved state if saving failed, because the next start would restore outdated data.
  if (failure !== undefined) storage.removeItem(itemName);
  return failure;
}

function restore(sim: Simulator, storage: StateStorage, startedFrom: string, nowMs: number): void {
  const text = storage.getItem(itemName);
  if (text === null) return;
  const before = sim.snapshot();
  try {
    const { fingerprint: savedFrom, savedAtMs, state } = parseJson(text) as unknown as Saved;
    if (savedFrom === startedFrom) {
      const snapshot = runToEnd(importState(sim, checkWith(stateSchemaOf(sim, petState), state, 'state'), petState));
      const { clock, resolved } = snapshot;
      const elapsedMs = clock.frozen ? 0 : Math.max(0, nowMs - savedAtMs) * (resolved.clock.speed ?? 1);
      sim.restore({ ...snapshot, clock: { ...clock, nowMs: Math.round(clock.nowMs + elapsedMs) } });
      return;
    }
  } catch {
    sim.restore(before);
  }
  // Removes a saved state that could not be restored. Possible reasons: another scenario, damaged text, or another
  // version of petstore-sim.
  storage.removeItem(itemName);
}
