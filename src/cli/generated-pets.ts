import { generatePets } from '../petstore/generate-pets.js';
import { type GeneratePets, generatedPets, maximumPetsWhileServing } from '../petstore/resolve-pets.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { issueAt } from '../validation/issue.js';
import { formatInteger } from '../values/format-integer.js';
import { createProgressBar } from './progress-bar.js';

/**
 * Generates the pets of the scenario field `pets.generate` before the server listens. Shows a progress bar on a
 * terminal.
 */
export const generateAtStart: GeneratePets = (counts, options) =>
  generatePets(counts, { ...options, onProgress: createProgressBar() });

/**
 * Checks the number of generated pets in a scenario for a running server, which does not respond while it generates
 * pets.
 * @throws {ScenarioError} if the number is too large
 */
export function refuseManyPets(scenario: Scenario): void {
  const total = generatedPets(scenario);
  if (total <= maximumPetsWhileServing) return;
  const message = `expected at most ${formatInteger(maximumPetsWhileServing)} pets while the server runs, got ${formatInteger(total)}; start the server with this scenario instead`;
  throw new ScenarioError([issueAt(['pets', 'generate'], message)]);
}
