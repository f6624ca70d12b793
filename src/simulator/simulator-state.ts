import { Faults } from '../faults/faults.js';
import { Keys } from '../limits/keys.js';
import { type Algorithm, windowAlgorithm } from '../limits/window.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { Clock } from '../state/clock.js';
import { Journal } from '../state/journal.js';
import { Pets } from '../state/pets.js';

/** What a simulator is made of: the scenario in force and everything that it drives. */
export interface SimulatorState {
  resolved: ResolvedScenario;
  algorithm: Algorithm;
  readonly clock: Clock;
  readonly pets: Pets;
  readonly keys: Keys;
  readonly faults: Faults;
  readonly journal: Journal;
  /** Whose pets `pets` goes back to: not of the scenario in force, where that was loaded without `reseed`. */
  petsFrom: ResolvedScenario;
}

/** @param pets a store with the pets of `resolved`, to start from; default: one of their own */
export function createSimulatorState(
  resolved: ResolvedScenario,
  pets = new Pets(resolved.pets, petsOptions(resolved)),
): SimulatorState {
  const algorithm = windowAlgorithm(resolved.settings);
  const clock = new Clock(resolved.clock);
  const keys = new Keys(keysOptions(resolved, algorithm, clock));
  const faults = new Faults(clock);
  faults.configure(resolved.faults, resolved.seed);
  return { resolved, algorithm, clock, pets, keys, faults, journal: new Journal(), petsFrom: resolved };
}

/** SimulatorState of a resolved of their own that starts as these did. */
export const forkSimulatorState = ({ resolved, pets, petsFrom }: SimulatorState): SimulatorState =>
  petsFrom === resolved ? createSimulatorState(resolved, pets.fork()) : createSimulatorState(resolved);

/** Puts another scenario in force. The pets stay, unless `reseed`; the clock goes on, unless it is another one. */
export function applyScenario(state: SimulatorState, resolved: ResolvedScenario, reseed: boolean): void {
  const { clock, pets, keys, faults } = state;
  if (reseed || JSON.stringify(resolved.clock) !== JSON.stringify(state.resolved.clock))
    clock.configure(resolved.clock);
  if (reseed) {
    pets.seed(resolved.pets, petsOptions(resolved));
    state.petsFrom = resolved;
  }
  state.resolved = resolved;
  state.algorithm = windowAlgorithm(resolved.settings);
  keys.configure(keysOptions(resolved, state.algorithm, clock));
  faults.configure(resolved.faults, resolved.seed);
}

const petsOptions = ({ settings, seed, idStart }: ResolvedScenario) => ({ order: settings.listOrder, seed, idStart });

const keysOptions = (
  { keys, plans, windowSeconds, settings, background }: ResolvedScenario,
  algorithm: Algorithm,
  clock: Clock,
) => ({
  definitions: keys,
  plans,
  windowSeconds,
  algorithm,
  acceptAnyKey: settings.acceptAnyKey,
  background,
  clock,
});
