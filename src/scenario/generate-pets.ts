import { petStatuses } from '../petstore/document.js';
import { greatestInt64, nextInt64 } from '../values/int64.js';
import { seededFraction, seedFor } from '../values/seeded-random.js';
import type { GeneratePets } from './resolve-pets.js';

/** The categories to draw from when the scenario lists none: those of the default scenario. */
const defaultCategories = [1, 2, 3, 4, 5];

/** Names to draw from. Our own list: faker's has 42, and the package around it took 2.9 MB and 34 ms of a start. */
const names = (
  'Ace Alfie Amber Angus Apollo Archie Bailey Bandit Basil Bella Biscuit Bruno Caspar Charlie Cleo Clover Coco Daisy ' +
  'Dexter Dora Duke Echo Ella Felix Fern Finn Fiona Freya George Ginger Gizmo Gus Hazel Hector Honey Ivy Jasper Juno ' +
  'Kiki Koda Leo Lila Louie Lucy Luna Mabel Maggie Max Milo Mimi Misty Molly Nala Nelly Nova Olive Oscar Otis Panda ' +
  'Pepper Pip Poppy Quincy Remy Rex Rocky Rosie Ruby Rufus Sadie Sam Scout Shadow Simba Sky Stella Sunny Teddy Tilly ' +
  'Toby Uma Vera Violet Waldo Willow Winston Xena Yuki Zara Ziggy Zoë'
).split(' ');

/** After how many pets `onProgress` is called again. */
const progressEvery = 4_096;

/**
 * Makes pets for scenarios with `pets.generate`; 100,000 take a tenth of a second.
 * The counts are exact, the statuses mixed as if shuffled, and `seed` alone decides every value.
 * @throws {RangeError} for more pets than ids from `firstId` up
 * @example
 * import { createSimulator } from 'petstore-sim';
 * import { generatePets } from 'petstore-sim/seed';
 *
 * const scenario = { seed: 7, pets: { generate: { available: 900, pending: 80, sold: 20 } } };
 * const sim = createSimulator({ scenario, generatePets });
 */
export const generatePets: GeneratePets = (counts, { seed, firstId, categories, onProgress }) => {
  const drawBelow = createDraw(seedFor('pets', seed));
  const choices = categories.length > 0 ? categories : defaultCategories;
  const left = petStatuses.map((status) => ({ status, count: counts[status] ?? 0 }));
  const total = left.reduce((sum, { count }) => sum + count, 0);
  if (BigInt(firstId) + BigInt(total) - 1n > greatestInt64) {
    throw new RangeError(`expected ids for ${total} pets from ${firstId} on, got none after ${greatestInt64}`);
  }

  /** Draws the status of one of the pets that are left, each with the same chance, so that every count comes out exact. */
  const drawStatus = (made: number) => {
    let position = drawBelow(total - made);
    const drawn = left.find(({ count }) => {
      position -= count;
      return position < 0;
    }) as (typeof left)[number];
    drawn.count--;
    return drawn.status;
  };
  const drawFrom = <Item>(items: readonly Item[]) => items[drawBelow(items.length)] as Item;

  let nextId = firstId;
  const pets = Array.from({ length: total }, (_, made) => {
    if (made % progressEvery === 0) onProgress?.(made, total);
    const id = nextId;
    nextId = nextInt64(id);
    return { id, name: drawFrom(names), categoryId: drawFrom(choices), status: drawStatus(made) };
  });
  onProgress?.(total, total);
  return pets;
};

/** Draws whole numbers, each from 0 up to, not including, a bound. */
function createDraw(seed: number): (bound: number) => number {
  let drawn = 0;
  return (bound) => Math.floor(seededFraction(seed, drawn++) * bound);
}
