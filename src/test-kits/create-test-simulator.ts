import { roundUpToSecond } from '../clock/round-up-to-second.js';
import { createSimulator } from '../petstore/create-simulator.js';
import { generatePets } from '../petstore/generate-pets.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';

/** Reads a scenario: a shipped scenario by its name or, in Node, a scenario file by its path. */
export type ReadScenario = (name: string) => Scenario | Promise<Scenario>;

/**
 * Creates the simulator of one test. Its clock starts at a whole second, unless the scenario sets the start.
 * @throws {ScenarioError} if the scenario is invalid
 */
export async function createTestSimulator(scenario: Scenario | string, readScenario: ReadScenario): Promise<Simulator> {
  const content = typeof scenario === 'string' ? await readScenario(scenario) : scenario;
  const sim = createSimulator({
    scenario: content,
    ...(content.state !== undefined && { readStart: (await import('../scenario/read-start.js')).readStart }),
    generatePets,
  });
  if (sim.scenario.clock?.start === undefined) roundUpToSecond(coreOf(sim).state.clock);
  return sim;
}
