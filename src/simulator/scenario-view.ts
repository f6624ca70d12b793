import type { Scenario } from '../scenario/scenario-schema.js';
import { frozenCopy } from '../values/plain-data.js';
import type { SimulatorState } from './simulator-state.js';

interface ScenarioSource {
  readonly state: Pick<SimulatorState, 'resolved'>;
  readonly readScenarios: () => ReadonlyMap<string, Scenario>;
}

/**
 * Creates the prototype of all simulators, with getters for the scenario. In V8, own getters would make simulators
 * slow.
 */
export const createScenarioView = (sourceOf: (sim: object) => ScenarioSource) => ({
  get name(): string {
    return sourceOf(this).state.resolved.name;
  },

  get scenario(): Scenario {
    return frozenCopy(sourceOf(this).state.resolved.scenario);
  },

  get scenarios(): ReadonlyMap<string, Scenario> {
    return sourceOf(this).readScenarios();
  },

  get settings(): SimulatorState['resolved']['settings'] {
    return sourceOf(this).state.resolved.settings;
  },
});
