import { expect, test } from 'vitest';
import { exportState } from '../../src/control-api/export-state.js';
import type { ExportedState } from '../../src/control-api/state-schema.js';
import { createSimulator, type Scenario, type ScenarioError } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import { toJsonCommand } from '../../src/persistence/command-json.js';
import type { HandledRequest } from '../../src/persistence/command-result.js';
import type { LogEntry } from '../../src/persistence/log.js';
import { startMachine } from '../../src/persistence/start-machine.js';
import type { StateMachine } from '../../src/persistence/state-machine.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { petState } from '../../src/petstore/exported-pets.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { stateAsScenario } from '../../src/petstore/state-as-scenario.js';
import { readStart } from '../../src/scenario/read-start.js';
import { readYaml } from '../../src/scenario/read-yaml.js';
import { scenarioYaml } from '../../src/scenario-files/write-scenario.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { noon } from '../support/frozen.js';
import { send } from '../support/plain-call.js';
import { seed, tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { randomCall, randomCommand, randomScenario } from './random-commands.js';

const { minute: perMinute } = documentedPlans.free;

const options = { service: servedPetstore, generatePets, onError: () => {} };

const entryOf = (sequence: number, atMs: number, commands: readonly unknown[]): LogEntry => ({
  position: sequence,
  atMs,
  commands,
});

/** The scenario of the file that an export writes. */
function throughFile(machine: StateMachine): { state: ExportedState; scenario: Scenario } {
  const state = exportState(machine.sim, petState);
  const { value, issues } = readYaml(scenarioYaml(stateAsScenario(state, generatePets), 'From a test.'));
  expect(issues).toEqual([]);
  return { state, scenario: value as Scenario };
}

/**
 * Part of a state that is equal after a start from the scenario. The rest is relative to the start, or has no effect.
 */
const comparable = ({ scenario: _, dataFrom: __, clock, keys, unlistedKeys, ...rest }: ExportedState) => ({
  ...rest,
  nowMs: clock.nowMs,
  frozen: clock.frozen,
  keys: [...keys, ...unlistedKeys].map(({ backgroundSeconds: _, preset, ...key }) => ({
    ...key,
    preset: preset && { ...preset, clockMovedMs: preset.clockMovedMs - clock.movedMs },
  })),
});

test('a simulator started from an exported scenario has the same state and responses, after random runs', async () => {
  let answers = 0;
  for (let number = 0; number < tries(40, 4_000); number++) {
    const random = createRandom(seed * 9_000_011 + number);
    let atMs = Date.parse(noon);
    const drawn = randomScenario(random, number);
    const machine = startMachine(resolveScenario(drawn, generatePets), atMs, options);
    for (let sequence = 1; sequence <= 40; sequence++) {
      atMs += random.pick([0, 1, 300, 2_000, 61_000]);
      machine.apply(entryOf(sequence, atMs, [toJsonCommand(randomCommand(random, machine))]));
    }
    // A request that waits for its delay is no part of an export; nor is a part of a millisecond.
    const { delayed, resolved } = coreOf(machine.sim).state;
    if (delayed.length > 0 || !Number.isInteger(resolved.clock.speed ?? 1)) continue;
    const { state, scenario } = throughFile(machine);
    const again = startMachine(resolveScenario(scenario, generatePets, readStart), atMs, options);
    expect(comparable(exportState(again.sim, petState)), `run ${number} of seed ${seed}`).toEqual(comparable(state));

    for (let sequence = 41; sequence <= 70; sequence++) {
      atMs += random.pick([0, 1, 300, 2_000, 61_000]);
      const command = toJsonCommand({ kind: 'request', call: randomCall(random, machine, undefined) });
      const [expected, found] = await Promise.all(
        [machine, again].map((each) => answerOf(each, sequence, atMs, command)),
      );
      expect(found, `request ${sequence} of run ${number} of seed ${seed}`).toEqual(expected);
      answers++;
    }
  }
  expect(answers).toBeGreaterThan(600);
});

/** Answer of a server; only a marker for a delayed answer. */
async function answerOf(machine: StateMachine, sequence: number, atMs: number, command: unknown): Promise<unknown> {
  const [result] = machine.apply(entryOf(sequence, atMs, [command])).results;
  if (result === undefined || 'error' in result) return result;
  const { answer } = result.value as HandledRequest;
  if (answer instanceof Promise) return 'delayed';
  const { status, headers, body, wire } = answer;
  return { status, headers, body, wire };
}

test('windows of keys that are not in the scenario are exported', () => {
  const scenario: Scenario = { limits: { algorithm: 'sliding-log' }, clock: { start: noon, mode: 'frozen' } };
  const sim = createSimulator({ scenario });
  const again = createSimulator({ scenario: stateAsScenario(exportState(sim, petState)), readStart });
  for (const each of [sim, again]) {
    for (let call = 0; call < 3; call++) send(each);
    each.clock.advance('61s');
    send(each);
  }
  expect(again.keys.list()).toEqual(sim.keys.list());
  expect(again.keys.get('free-key')).toMatchObject({ minute: { remaining: perMinute - 1 }, day: { remaining: 996 } });
});

test('a reset restores the start of the scenario', () => {
  const sim = createSimulator({ scenario: { clock: { start: noon, mode: 'frozen' } } });
  for (let call = 0; call < 3; call++) send(sim);
  sim.keys.ban('pro-key', '10m');
  const scenario = stateAsScenario(exportState(sim, petState));
  const again = createSimulator({ scenario, readStart });
  const before = [again.keys.get('free-key'), again.keys.get('pro-key')];
  expect(before).toEqual([sim.keys.get('free-key'), sim.keys.get('pro-key')]);
  send(again);
  again.keys.unban('pro-key');
  again.reset();
  expect([again.keys.get('free-key'), again.keys.get('pro-key')]).toEqual(before);
});

test('the export is readable: keys with usage and bans, and one line for each pet', () => {
  const sim = createSimulator({ scenario: { clock: { start: noon, mode: 'frozen' } } });
  send(sim);
  sim.keys.ban('pro-key', '10m');
  const text = scenarioYaml(stateAsScenario(exportState(sim, petState)), 'From a test.');
  expect(text).toContain('  free-key: {plan: free, usage: {minute: 1, day: 1}}\n');
  expect(text).toContain('  pro-key: {plan: pro, bannedFor: 600000ms}\n');
  expect(text).toContain('  - {id: 1, name: Rex, categoryId: 1, status: available}\n');
  expect(text).toContain('clock: {start: 2026-01-01T12:00:00.000Z, mode: frozen}\n');
  expect(text.startsWith('# From a test.\n')).toBe(true);
});

test('ids continue after all assigned ids, including those of removed pets', () => {
  const sim = createSimulator();
  const { id } = sim.pets.add({ name: 'Last', categoryId: 1 });
  sim.pets.remove(id);
  const again = createSimulator({ scenario: stateAsScenario(exportState(sim, petState)), readStart });
  expect(again.pets.add({ name: 'Next', categoryId: 1 }).id).toBe(Number(id) + 1);
});

test('generated pets stay generated while unchanged', () => {
  const scenario: Scenario = { pets: { generate: { sold: 200 } }, clock: { start: noon, mode: 'frozen' } };
  const sim = createSimulator({ scenario, generatePets });
  expect(stateAsScenario(exportState(sim, petState), generatePets).pets).toEqual({ generate: { sold: 200 } });
  const again = createSimulator({
    scenario: stateAsScenario(exportState(sim, petState), generatePets),
    generatePets,
    readStart,
  });
  expect(again.pets.list()).toEqual(sim.pets.list());
  expect(again.pets.add({ name: 'Next', categoryId: 1 }).id).toBe(201);
  sim.pets.remove(7);
  expect(stateAsScenario(exportState(sim, petState), generatePets).pets).toHaveLength(199);
});

test('an invalid state is rejected with all its mistakes', () => {
  const state = {
    keys: { 'no-key': {}, 'free-key': { minute: { startSeconds: 0, used: 2, log: [[0, 1]] }, strike: 1 } },
    faults: { startMs: 0, counts: { gone: { seen: 1, applied: 1 } } },
  };
  const issuesOf = (of: unknown) => {
    try {
      resolveScenario({ state: of }, undefined, readStart);
      return [];
    } catch (error) {
      return (error as ScenarioError).issues.map(({ path, message }) => `${path}: ${message}`);
    }
  };
  expect(issuesOf(state)).toEqual(['state.keys.free-key.strike: expected a known field; did you mean strikes?']);
  const { strike: _, ...key } = state.keys['free-key'];
  expect(issuesOf({ ...state, keys: { ...state.keys, 'free-key': key } })).toEqual([
    'state.keys.no-key: expected a key defined in `keys`',
    'state.keys.free-key.minute.used: expected the sum of the requests in log (1), got 2',
    'state.faults.counts.gone: expected the name of a rule in `faults`',
  ]);
  expect(() => createSimulator({ scenario: { state } })).toThrow(
    'scenario at state: expected a reader: pass { readStart } from "petstore-sim/control" to createSimulator',
  );
});
