import { generatePets } from '../scenario/generate-pets.js';
import { type GeneratePets, maximumPetsWhileServing } from '../scenario/resolve-pets.js';
import { grouped } from '../values/grouped.js';
import { createProgressBar } from './progress-bar.js';

/** Makes the pets of `pets.generate` before a server listens, with a bar on a terminal. */
export const generateAtStart: GeneratePets = (counts, options) =>
  generatePets(counts, { ...options, onProgress: createProgressBar() });

/**
 * The same for scenarios that are loaded while the server runs.
 * @throws {RangeError} for so many that requests would have to wait
 */
export const generateWhileServing: GeneratePets = (counts, options) => {
  const total = Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0);
  if (total > maximumPetsWhileServing) {
    throw new RangeError(
      `expected at most ${grouped(maximumPetsWhileServing)} pets while the server runs, got ${grouped(total)}; start the server with this scenario instead`,
    );
  }
  return generateAtStart(counts, options);
};
