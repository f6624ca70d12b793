import type { TimeSource } from '../clock/machine-time.js';
import type { KnownOperations } from '../scenario/operations.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { type Simulator, type SimulatorOptions, simulate, simulateFrom } from '../simulator/simulator.js';
import { simulatorOptions } from '../simulator/simulator-options.js';
import { checkOptions } from '../values/check-options.js';
import { petstore } from './petstore.js';

const optionNames: Record<keyof SimulatorOptions, true> = { ...simulatorOptions, generatePets: true };

/**
 * Creates a simulator of the Petstore, in Node or a browser, synchronously and without I/O. Simulators share no state.
 * @throws {ScenarioError} listing every issue of the scenario with its path; {TypeError} for an unknown option
 * @example const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });
 */
export function createSimulator(options: SimulatorOptions = {}): Simulator {
  checkOptions('createSimulator', options, optionNames);
  return simulate(petstore, options);
}

/**
 * Creates a simulator of the Petstore from a checked scenario.
 * @param time source of the machine's time; default: the machine's clock
 * @param operations operations that scenarios may name; default: the operations in the API's documentation
 */
export const createSimulatorFrom = (
  resolved: ResolvedScenario,
  options: Omit<SimulatorOptions, 'scenario'>,
  time?: TimeSource,
  operations?: KnownOperations,
): Simulator => simulateFrom(petstore, resolved, options, time, operations);
