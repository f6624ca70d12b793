import { issueAt } from '../validation/issue.js';
import type { Steps } from '../values/steps.js';
import { type ResolvedScenario, resolveInSteps } from './resolve-scenario.js';
import { ScenarioError } from './scenario-error.js';

/**
 * `resolveInSteps` for what code gives, where a name is not enough: a page cannot read files.
 * @throws {ScenarioError} naming every mistake with its path, and for a name how to give its content
 */
export function* resolveContent(...[scenario, ...more]: Parameters<typeof resolveInSteps>): Steps<ResolvedScenario> {
  if (typeof scenario === 'string') {
    const how = "import it from 'petstore-sim/scenarios/NAME.json', or await readScenario(NAME) of petstore-sim/node";
    throw new ScenarioError([issueAt([], `expected a map, got ${JSON.stringify(scenario)}; ${how}`)]);
  }
  return yield* resolveInSteps(scenario, ...more);
}
