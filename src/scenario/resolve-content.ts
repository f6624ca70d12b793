import { issueAt } from '../schema/issue.js';
import { type ResolvedScenario, resolveScenario } from './resolve-scenario.js';
import { ScenarioError } from './scenario-error.js';

/**
 * `resolveScenario` for what code gives, where a name is not enough: a page cannot read files.
 * @throws {ScenarioError} naming every mistake with its path, and for a name how to give its content
 */
export function resolveContent(...[scenario, ...more]: Parameters<typeof resolveScenario>): ResolvedScenario {
  if (typeof scenario === 'string') {
    const how = "import it from 'petstore-sim/scenarios/NAME.json', or await readScenario(NAME) of petstore-sim/node";
    throw new ScenarioError([issueAt([], `expected a map, got ${JSON.stringify(scenario)}; ${how}`)]);
  }
  return resolveScenario(scenario, ...more);
}
