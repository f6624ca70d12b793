import { roundUpToSecond } from '../clock/round-up-to-second.js';
import { generatePets } from '../scenario/generate-pets.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, createSimulator, type Simulator } from '../simulator/simulator.js';

/** Gives the scenario that has a name: a shipped one, or where there are files the one at a path. */
export type ReadScenario = (name: string) => Scenario | Promise<Scenario>;

/**
 * The simulator of one test. Its clock starts on a whole second.
 * @throws {ScenarioError}
 */
export async function createWorld(scenario: Scenario | string, readScenario: ReadScenario): Promise<Simulator> {
  const content = typeof scenario === 'string' ? await readScenario(scenario) : scenario;
  const sim = createSimulator({
    scenario: content,
    ...(content.state !== undefined && { readStart: (await import('../scenario/read-start.js')).readStart }),
    generatePets,
  });
  // Where a scenario says when its clock starts, it starts then.
  if (sim.scenario.clock?.start === undefined) roundUpToSecond(coreOf(sim).state.clock);
  return sim;
}
