import { boolean, fields, optional } from '../schema/schemas.js';
import type { Simulator } from '../simulator/simulator.js';
import { clockInfo } from './clock-operations.js';
import { operation } from './control-operation.js';
import { findScenario, scenarioInput } from './input-values.js';

const inForce = (sim: Simulator) => ({ scenario: sim.name, clock: clockInfo(sim) });

export const scenarioOperations = {
  getScenario: operation({
    method: 'GET',
    path: '/scenario',
    summary: 'The scenario in force, with what it leaves out from the default scenario; API keys whole',
    input: fields({}),
    run: (sim) => ({ name: sim.name, scenario: structuredClone(sim.scenario) }),
  }),
  listScenarios: operation({
    method: 'GET',
    path: '/scenarios',
    summary: 'The scenarios that can be loaded by name',
    input: fields({}),
    run: ({ scenarios }) => [...scenarios].map(([name, { description = '' }]) => ({ name, description })),
  }),
  loadScenario: operation({
    method: 'POST',
    path: '/scenario',
    summary:
      'Puts a scenario in force, by its name or its content: keys, limits, bans and faults start anew, with `reseed` pets and clock too',
    input: fields({ scenario: scenarioInput, reseed: optional(boolean, false) }),
    run(sim, { scenario, reseed }) {
      sim.load(findScenario(sim, scenario), { reseed });
      return inForce(sim);
    },
  }),
  reset: operation({
    method: 'POST',
    path: '/reset',
    summary: 'Back to the start of the scenario: pets, identifiers, keys, limits, bans, faults, clock, journal',
    input: fields({}),
    run(sim) {
      sim.reset();
      return inForce(sim);
    },
  }),
};
