import { issueAt } from '../validation/issue.js';
import type { Steps } from '../values/steps.js';
import { type ResolvedScenario, resolveInSteps } from './resolve-scenario.js';
import { ScenarioError } from './scenario-error.js';

/**
 * Checks a scenario object, and merges it with the default scenario. Rejects a scenario's name, because a web page
 * cannot read scenario files.
 * @throws {ScenarioError} for an invalid scenario, or for a scenario's name instead of an object
 */
export function* resolveContent(...[scenario, ...more]: Parameters<typeof resolveInSteps>): Steps<ResolvedScenario> {
  if (typeof scenario === 'string') {
    const how = "import it from 'petstore-sim/scenarios/NAME.json', or await readScenario(NAME) of petstore-sim/node";
    throw new ScenarioError([issueAt([], `expected a map, got ${JSON.stringify(scenario)}; ${how}`)]);
  }
  return yield* resolveInSteps(scenario, ...more);
}
