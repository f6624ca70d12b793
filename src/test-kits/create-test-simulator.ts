import { roundUpToSecond } from '../clock/round-up-to-second.js';
import { createSimulatorFrom } from '../petstore/create-simulator.js';
import { generatePets } from '../petstore/generate-pets.js';
import { resolveScenario } from '../petstore/scenario.js';
import { readStart } from '../scenario/read-start.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';

/** Resolves a scenario: a shipped scenario by its name or, in Node, a scenario file by its path. */
export type ReadScenario = (name: string) => Promise<ResolvedScenario>;

/** Resolves a scenario, including its generated pets and its `state`. */
export const resolveTestScenario = (scenario: Scenario): ResolvedScenario =>
  resolveScenario(scenario, generatePets, readStart);

/**
 * Creates the simulator of one test. Its clock starts at a whole second, unless the scenario sets the start.
 * @throws {ScenarioError} if the scenario is invalid
 */
export async function createTestSimulator(scenario: Scenario | string, readScenario: ReadScenario): Promise<Simulator> {
  const resolved = typeof scenario === 'string' ? await readScenario(scenario) : resolveTestScenario(scenario);
  const sim = createSimulatorFrom(resolved, { readStart, generatePets });
  if (sim.scenario.clock?.start === undefined) roundUpToSecond(coreOf(sim).state.clock);
  return sim;
}
