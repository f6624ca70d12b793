import { generatePets } from '../scenario/generate-pets.js';
import { type GeneratePets, generatedPets, maximumPetsWhileServing } from '../scenario/resolve-pets.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { issueAt } from '../validation/issue.js';
import { grouped } from '../values/grouped.js';
import { createProgressBar } from './progress-bar.js';

/** Makes the pets of `pets.generate` before a server listens, with a bar on a terminal. */
export const generateAtStart: GeneratePets = (counts, options) =>
  generatePets(counts, { ...options, onProgress: createProgressBar() });

/**
 * Refuses a scenario to load while the server runs.
 * @throws {ScenarioError} for so many generated pets that requests would have to wait
 */
export function refuseManyPets(scenario: Scenario): void {
  const total = generatedPets(scenario);
  if (total <= maximumPetsWhileServing) return;
  const message = `expected at most ${grouped(maximumPetsWhileServing)} pets while the server runs, got ${grouped(total)}; start the server with this scenario instead`;
  throw new ScenarioError([issueAt(['pets', 'generate'], message)]);
}
