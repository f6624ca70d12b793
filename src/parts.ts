import { Faults } from './policies/faults.js';
import { Keys } from './policies/keys.js';
import { type Algorithm, windowAlgorithm } from './policies/windows.js';
import type { World } from './scenario/load.js';
import { Clock } from './state/clock.js';
import { Journal } from './state/journal.js';
import { Pets } from './state/pets.js';

/** What a simulator is made of: the scenario in force and everything that it drives. */
export interface Parts {
  world: World;
  algorithm: Algorithm;
  readonly clock: Clock;
  readonly pets: Pets;
  readonly keys: Keys;
  readonly faults: Faults;
  readonly journal: Journal;
  /** Whose animals `pets` goes back to: not of the scenario in force, where that was loaded without `reseed`. */
  petsWorld: World;
}

/** @param pets a store with the animals of `world`, to start from; default: one of their own */
export function createParts(world: World, pets = new Pets(world.pets, petsOptions(world))): Parts {
  const algorithm = windowAlgorithm(world.settings);
  const clock = new Clock(world.clock);
  const keys = new Keys(keysOptions(world, algorithm, clock));
  const faults = new Faults(clock);
  faults.configure(world.faults, world.seed);
  return { world, algorithm, clock, pets, keys, faults, journal: new Journal(), petsWorld: world };
}

/** Parts of a world of their own that starts as these did. */
export const forkParts = ({ world, pets, petsWorld }: Parts): Parts =>
  petsWorld === world ? createParts(world, pets.fork()) : createParts(world);

/** Puts another scenario in force. The animals stay, unless `reseed`; the clock goes on, unless it is another one. */
export function changeWorld(parts: Parts, world: World, reseed: boolean): void {
  const { clock, pets, keys, faults } = parts;
  if (reseed || JSON.stringify(world.clock) !== JSON.stringify(parts.world.clock)) clock.configure(world.clock);
  if (reseed) {
    pets.seed(world.pets, petsOptions(world));
    parts.petsWorld = world;
  }
  parts.world = world;
  parts.algorithm = windowAlgorithm(world.settings);
  keys.configure(keysOptions(world, parts.algorithm, clock));
  faults.configure(world.faults, world.seed);
}

const petsOptions = ({ settings, seed, idStart }: World) => ({ order: settings.listOrder, seed, idStart });

const keysOptions = (
  { keys, plans, windowSeconds, settings, background }: World,
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
