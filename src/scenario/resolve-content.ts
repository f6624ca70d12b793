import { issueAt } from '../validation/issue.js';
import type { Steps } from '../values/steps.js';
import { type ResolvedScenario, resolveInSteps } from './resolve-scenario.js';
import { ScenarioError } from './scenario-error.js';

/**
 * Checks a scenario object in steps, and merges it with the default scenario. Rejects the name of a scenario, because a
 * web page cannot read scenario files.
 * @throws {ScenarioError} with every issue and its path, or with the way to load a named scenario
 */
export function* resolveContent(...[scenario, ...more]: Parameters<typeof resolveInSteps>): Steps<ResolvedScenario> {
  if (typeof scenario === 'string') {
    const how = "import it from 'petstore-sim/scenarios/NAME.json', or await readScenario(NAME) of petstore-sim/node";
    throw new ScenarioError([issueAt([], `expected a map, got ${JSON.stringify(scenario)}; ${how}`)]);
  }
  return yield* resolveInSteps(scenario, ...more);
}
