import { expect, test, vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Fault, type Simulator } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import { restoreMachine, startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { jsonText, parseJson } from '../../src/values/json.js';
import { noon } from '../support/frozen.js';

/** A rule that is written in other forms than the simulator applies. */
const writtenRule = (name: string) =>
  ({
    name,
    when: {
      operation: 'GET /v1/pets/{id}',
      petId: '9007199254740993',
      key: 'free-key',
      probability: '100%',
      for: '5m',
    },
    then: { respond: { status: 503, headers: { 'Retry-After': 2 } }, delay: { p50: '1s', p99: '2s' } },
  }) as const satisfies Fault;
/** The same rule as `stateVersion` 1 exported it before rules were kept as written. */
const convertedRule = (name: string) => ({
  name,
  when: { operation: ['getPet'], petId: 9_007_199_254_740_993n, key: ['free-key'], probability: 1, for: 300_000 },
  then: { respond: { status: 503, headers: { 'Retry-After': '2' } }, delay: { p50: 1_000, p99: 2_000 } },
});
const scenario = { clock: { start: noon, mode: 'frozen' as const }, faults: [writtenRule('first')] };

const listed = (sim: Simulator) => createControl(sim).listFaults();
const written = (...names: string[]) => names.map((name) => expect.objectContaining(writtenRule(name)));

/** Sends the request that a rule delays, and returns its status after the delay. */
async function statusOf(sim: Simulator): Promise<number | undefined> {
  const response = sim.fetch('http://petstore.test/v1/pets/9007199254740993', {
    headers: { authorization: 'Bearer free-key' },
  });
  await vi.waitUntil(() => sim.faults.list()[0]?.applied === 1);
  sim.clock.advance('10s');
  return (await response).status;
}

test('lists a rule as written, in a scenario, added, replaced, checked, and by the control API', () => {
  const sim = createSimulator({ scenario });
  sim.faults.add(writtenRule('second'));
  sim.faults.add({ name: 'old', then: { reset: true } });
  sim.faults.replace('old', writtenRule('third'));
  const control = createControl(sim);
  control.addFault(writtenRule('fourth'));
  expect(listed(sim)).toEqual(written('first', 'second', 'third', 'fourth'));
  expect(sim.faults.list()[3]?.definition).toEqual(writtenRule('fourth'));
  expect(control.checkFault({ fault: writtenRule('fifth') })).toEqual({ issues: [], rule: written('fifth')[0] });
});

test('names a rule without a name, and keeps no later change of the written object', async () => {
  const { name: _, ...rule } = structuredClone(writtenRule('')) as Fault;
  const own = { ...scenario, faults: [rule] };
  const sim = createSimulator({ scenario: own });
  sim.faults.add(rule);
  Object.assign(rule.then, { respond: { status: 500 } });
  expect(listed(sim)).toEqual(written('fault-1', 'fault-2'));
  sim.faults.add(rule);
  expect(listed(sim)[2]?.then).toMatchObject({ respond: { status: 500 } });
});

test('exports and imports a rule as written, and applies it', async () => {
  const state = createControl(createSimulator({ scenario })).exportState();
  expect(state.faults.rules.map(({ rule }) => rule)).toEqual([writtenRule('first')]);
  const sim = createSimulator({ scenario: { clock: scenario.clock } });
  createControl(sim).importState(state);
  expect(listed(sim)).toEqual(written('first'));
  expect(await statusOf(sim)).toBe(503);
});

test('imports a rule that an older version exported', async () => {
  const state = createControl(createSimulator({ scenario })).exportState();
  const rules = state.faults.rules.map((each) => ({ ...each, rule: convertedRule('first') }));
  const sim = createSimulator({ scenario: { clock: scenario.clock } });
  createControl(sim).importState({ ...state, faults: { ...state.faults, rules } });
  expect(sim.faults.list()[0]?.definition).toEqual(convertedRule('first'));
  expect(await statusOf(sim)).toBe(503);
});

test.each([
  ['as written', (text: string) => text],
  [
    'as an older version stored it',
    (text: string) => text.replaceAll(jsonText(writtenRule('first')), jsonText(convertedRule('first'))),
  ],
])('restores a rule and a request that it delays from a snapshot, %s', async (_, convert) => {
  const options = { service: servedPetstore, generatePets, onError: (error: unknown) => expect(error).toBeUndefined() };
  const machine = startMachine(resolveScenario(scenario, generatePets), Date.parse(noon), options);
  const pending = machine.sim.fetch('http://petstore.test/v1/pets/9007199254740993', {
    headers: { authorization: 'Bearer free-key' },
  });
  await vi.waitUntil(() => machine.sim.faults.list()[0]?.applied === 1);
  const text = jsonText([...captureMachine(machine)]);
  expect(text.split(jsonText(writtenRule('first')))).toHaveLength(4);
  const { sim } = await restoreMachine(parseJson(convert(text)) as unknown[], options);
  const definition = convert(jsonText(writtenRule('first')));
  expect(sim.faults.list()).toMatchObject([{ definition: parseJson(definition), applied: 1 }]);
  sim.clock.advance('10s');
  expect(sim.journal.query()).toMatchObject([{ status: 503, fault: 'first' }]);
  machine.sim.reset();
  await expect(pending).rejects.toThrow('Failed to fetch');
});
