import { completed } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { SettingId } from '../scenario/settings.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { applyScenario } from '../simulator/simulator-state.js';
import { checkInSteps } from '../validation/check-in-steps.js';
import type { Schema } from '../validation/schema.js';
import { anything, boolean, fields, list, optional, string } from '../validation/schemas.js';
import { jsonText } from '../values/json.js';
import { clockInfo, clockInfoSchema } from './clock-operations.js';
import { operation } from './control-operation.js';
import { described, findScenario, scenarioContent } from './input-values.js';
import { lazyCopy } from './lazy-result.js';
import type { ServiceControl } from './served-service.js';

/** Schema of the result of an operation that loads or resets a scenario. */
const started = fields({ scenario: described(string, 'Name of the scenario.'), clock: clockInfoSchema });
const startOf = (sim: Simulator) => ({ scenario: sim.name, clock: clockInfo(sim) });

function differing(one: Scenario, other: Scenario): string[] {
  const fields = Object.keys({ ...one, ...other }) as (keyof Scenario)[];
  return fields.filter((field) => jsonText(one[field] ?? null) !== jsonText(other[field] ?? null));
}

/**
 * Creates the control API's operations on scenarios, such as `getScenario` and `loadScenario`.
 * @param scenarioInput schema of a scenario to load
 */
export const createScenarioOperations = (
  { assumptions }: Pick<ServiceControl<never>, 'assumptions'>,
  scenarioInput: Schema<string | Scenario>,
) => ({
  getScenario: operation({
    method: 'GET',
    path: '/scenario',
    summary: 'Shows the scenario, completed from the default scenario, with its API keys',
    input: fields({}),
    result: fields({
      name: string,
      scenario: scenarioContent,
    }),
    run: (sim) => ({ name: sim.name, scenario: lazyCopy(coreOf(sim).state.resolved.scenario) }),
  }),
  listScenarios: operation({
    method: 'GET',
    path: '/scenarios',
    summary: 'Lists the scenarios that can be loaded by name',
    input: fields({}),
    result: list(
      fields({
        name: string,
        description: string,
        group: optional(string),
        fail: optional(described(list(string), 'Codes of the findings that fail a client in this scenario.')),
        changed: optional(
          described(
            list(string),
            'Fields in which the loaded scenario differs from this one. Only for the scenario with the loaded name, or for `default` if none has it.',
          ),
        ),
      }),
    ),
    run: (sim) =>
      [...sim.scenarios].map(([name, scenario]) => ({
        name,
        description: scenario.description ?? '',
        ...(scenario.group && { group: scenario.group }),
        ...(scenario.expect?.fail && { fail: scenario.expect.fail }),
        ...(name === (sim.scenarios.has(sim.name) ? sim.name : 'default') && {
          changed: differing(completed(scenario, coreOf(sim).main.rules.base), sim.scenario),
        }),
      })),
  }),
  listAssumptions: operation({
    method: 'GET',
    path: '/assumptions',
    summary:
      'Lists the assumptions, which settle questions that the interface document leaves open, with current and default values',
    input: fields({}),
    result: list(
      fields({
        id: string,
        question: string,
        value: described(anything, 'Value of the assumption in the loaded scenario.'),
        default: anything,
        alternatives: described(list(anything), 'The other values, or examples.'),
      }),
    ),
    run: ({ settings }) =>
      Object.entries(assumptions).map(([id, { question, default: byDefault, alternatives }]) => ({
        id,
        question,
        value: Object.hasOwn(settings, id) ? (settings[id as SettingId] as unknown) : byDefault,
        default: byDefault,
        alternatives: [...alternatives],
      })),
  }),
  loadScenario: operation({
    method: 'POST',
    path: '/scenario',
    summary:
      'Loads a scenario by its name or content: keys, limits, bans and faults are reset; with `reseed` pets and clock too',
    input: fields({
      scenario: scenarioInput,
      reseed: optional(described(boolean, 'Whether to reset the pets and the clock too.'), false),
    }),
    example: { scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } },
    refusals: [404],
    result: started,
    *run(sim, { scenario, reseed }) {
      const { state, resolve } = coreOf(sim);
      const resolved = yield* resolve(findScenario(sim, scenario), checkInSteps);
      applyScenario(state, resolved, reseed);
      return startOf(sim);
    },
  }),
  reset: operation({
    method: 'POST',
    path: '/reset',
    summary:
      'Resets everything to the start of the scenario: pets, identifiers, keys, limits, bans, faults, clock, journal',
    input: fields({}),
    result: started,
    run(sim) {
      sim.reset();
      return startOf(sim);
    },
  }),
});
