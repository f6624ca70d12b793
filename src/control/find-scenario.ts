import type { Scenario } from '../scenario/scenario-schema.js';
import type { Simulator } from '../simulator/simulator.js';
import { notFound } from './control-error.js';

/**
 * The scenario that a caller means.
 * @throws {ControlError} 404 for a name that is not in the list
 */
export function findScenario({ scenarios }: Simulator, scenario: string | Scenario): Scenario {
  if (typeof scenario !== 'string') return scenario;
  const found = scenarios.get(scenario);
  if (found !== undefined) return found;
  throw notFound('There is no scenario of this name; expected one that GET /__sim/scenarios lists.');
}
