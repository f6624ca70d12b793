import type { ReadStart } from '../scenario/read-start.js';
import type { GeneratePets } from '../scenario/resolve-pets.js';
import { type ResolvedScenario, resolveScenario } from '../scenario/resolve-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { issueAt } from '../schema/issue.js';

/**
 * Checks a scenario that code hands in. A name is not enough: a page cannot read files.
 * @throws {ScenarioError} listing every issue with its path
 */
export function resolveContent(
  scenario: Scenario,
  generatePets: GeneratePets | undefined,
  readStart: ReadStart | undefined,
): ResolvedScenario {
  if (typeof scenario === 'string') {
    const how = "import it from 'petstore-sim/scenarios/NAME.json', or await readScenario(NAME) of petstore-sim/node";
    throw new ScenarioError([issueAt([], `expected a map, got ${JSON.stringify(scenario)}; ${how}`)]);
  }
  return resolveScenario(scenario, generatePets, readStart);
}
