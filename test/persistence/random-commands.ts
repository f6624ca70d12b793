import { exportState } from '../../src/control-api/export-state.js';
import { type Fault, type Scenario, ScenarioError } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import type { Command } from '../../src/persistence/command.js';
import type { StateMachine } from '../../src/persistence/state-machine.js';
import { assumptions } from '../../src/petstore/assumptions.js';
import { petState } from '../../src/petstore/exported-pets.js';
import { generatedPets } from '../../src/petstore/resolve-pets.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { headerOfPlainCall, type PlainCall } from '../../src/requests/plain-call.js';
import { merge } from '../../src/values/plain-data.js';
import { fileNames, scenarioOf } from '../scenarios/stage.js';
import { noon } from '../support/frozen.js';
import type { Random } from '../support/random.js';

const noonMs = Date.parse(noon);
const sandboxNames = ['a', 'b', 'c'];
const strangeKeys = ['nobody', 'made-up-1', 'made-up-2', 'schlüssel'];
const bodies = [
  '{"name":"Rex","categoryId":1}',
  '{"name":"Rex","categoryId":1,"status":"sold","x-note":[1.5,{"n":9223372036854775807}]}',
  '{"name":"","categoryId":9223372036854775807}',
  '{"name":"x"}',
  '{',
  '',
  '\ufeff{"name":"BOM","categoryId":2}',
];
const delays = ['1ms', '700ms', '2s', '2s', '45s', { p50: '300ms', p99: '9s' }] as const;

/** Cycles through the shipped scenarios, with random clock, assumptions and delays. */
export function randomScenario(random: Random, number: number): Scenario {
  for (;;) {
    const scenario = drawScenario(random, number);
    try {
      resolveScenario(scenario, generatePets);
      return scenario;
    } catch (error) {
      // Two places can contradict each other about one assumption.
      if (!(error instanceof ScenarioError)) throw error;
    }
  }
}

function drawScenario(random: Random, number: number): Scenario {
  const { pick, chance, below } = random;
  const written: Scenario = number % 4 === 0 ? {} : scenarioOf(fileNames[number % fileNames.length] as string);
  const clock = {
    ...written.clock,
    ...(chance(0.3) && { start: noon }),
    mode: pick(['real', 'real', 'frozen'] as const),
    ...(chance(0.3) && { speed: pick([0.4, 60, 1000 / 3]) }),
    ...(chance(0.2) && { skew: pick(['40s', '-40s']) }),
  };
  return {
    ...merge<Scenario>(written, randomAssumptions(random)),
    clock,
    // A hundred thousand would take a hundred times as long.
    ...(chance(0.3) && {
      pets: [{ name: pick(['Ada', 'Bo']), categoryId: 1 }],
      ids: { start: pick([1, 9007199254740993n]) },
    }),
    ...(generatedPets(written) > 0 && { pets: { generate: { available: 60, sold: 9 } } }),
    faults: [
      ...(chance(0.7) ? (written.faults ?? []) : []),
      ...Array.from({ length: below(3) }, () => randomFault(random)),
    ].map(({ when = {}, then }: Fault) => ({ when, then })),
    ...(chance(0.2) && { limits: undefined }),
  };
}

/** Some alternatives that the document leaves open. */
function randomAssumptions({ pick, below }: Random): Scenario {
  const ids = (Object.keys(assumptions) as (keyof typeof assumptions)[]).filter(
    (id) => assumptions[id].alternatives.length > 0,
  );
  const chosen = Array.from({ length: below(4) }, () => pick(ids));
  return {
    assumptions: Object.fromEntries(chosen.map((id) => [id, pick(assumptions[id].alternatives as readonly unknown[])])),
  } as Scenario;
}

function randomFault({ pick, chance, below }: Random) {
  return {
    when: {
      ...(chance(0.4) && { operation: pick(['listPets', 'createPet', 'getPet'] as const) }),
      ...(chance(0.2) && { every: 1 + below(3) }),
      ...(chance(0.2) && { probability: 0.5 }),
      ...(chance(0.1) && { after: '3s' as const, for: '20s' as const }),
    },
    then: {
      ...(chance(0.7) ? { delay: pick(delays) } : {}),
      ...pick([
        { respond: { status: 503, headers: { 'Retry-After': '2' } } },
        { reset: true as const, phase: pick(['before', 'after'] as const) },
        { drip: { bytes: 8, every: '1s' } },
        { malformed: true as const },
        { respond: { status: 429 }, failTimes: 2 },
        { empty: true as const },
      ]),
    },
  };
}

/** Creates a random command for the current state of a server. */
export function randomCommand(random: Random, machine: StateMachine): Command {
  const { pick, chance, below } = random;
  const sandbox = chance(0.3) ? pick(sandboxNames) : undefined;
  const where = sandbox === undefined ? {} : { sandbox };
  const sim = machine.simOf(sandbox) ?? machine.sim;
  const { size, pending } = sim.journal;
  const someId = () => Math.max(1, size + pending - below(5));
  const draw = below(10);
  if (draw < 6) return { kind: 'request', ...where, call: randomCall(random, machine, sandbox) };
  if (draw < 9) return { kind: 'control', ...where, ...randomControl(random, machine, sandbox) };
  switch (below(7)) {
    case 0:
    case 1:
      return { kind: 'left', ...where, id: someId() };
    case 2:
    case 3: {
      const nowMs = machine.time.lastMs;
      const delivery = pick([
        { answeredAtMs: nowMs, finishedAtMs: nowMs, lastArrivedId: someId() },
        { answeredAtMs: nowMs, finishedAtMs: nowMs, lastArrivedId: someId(), heldMs: 20.5 },
        { finishedAtMs: nowMs, isAbandoned: chance(0.5) },
      ]);
      return { kind: 'sent', ...where, answers: [[someId(), delivery]] };
    }
    case 4:
      return pick<Command>([
        { kind: 'touch', sandbox: pick(sandboxNames), ...(chance(0.5) && { make: true }) },
        { kind: 'alignClock' },
        { kind: 'runEnded', isInterrupted: chance(0.5), hasFailed: chance(0.5) },
      ]);
    case 5:
      return { kind: 'started' };
    default:
      return chance(0.5)
        ? { kind: 'tick' }
        : {
            kind: 'scenario',
            scenario: randomScenario(random, below(400)),
            hash: String(below(9)),
            reseed: chance(0.5),
          };
  }
}

/** Commands that show the initial state of each simulator, for the end of a log. */
export function lastCommands(machine: StateMachine): Command[] {
  const names = [undefined, ...machine.sandboxes.list().map(({ name }) => name)];
  return names.flatMap((sandbox) => {
    const [key = ''] = (machine.simOf(sandbox) ?? machine.sim).keys.texts;
    const headers = { authorization: `Bearer ${key}` };
    const call = {
      method: 'GET',
      path: '/pets',
      query: '',
      baseUrl: 'http://127.0.0.1:4010/v1',
      headers,
      header: headerOfPlainCall,
      body: undefined,
    };
    const list: Command = { kind: 'request', sandbox, call };
    return [list, { kind: 'control', sandbox, operation: 'reset', input: {} }, list];
  });
}

export function randomCall(random: Random, machine: StateMachine, sandbox: string | undefined): PlainCall {
  const { pick, chance, below } = random;
  const sim = machine.simOf(sandbox) ?? machine.sim;
  const key = chance(0.05) ? pick(strangeKeys) : pick(chance(0.7) ? sim.keys.texts.slice(0, 2) : sim.keys.texts);
  const isCreate = chance(0.35);
  const base = {
    baseUrl: `http://127.0.0.1:4010${sandbox === undefined ? '' : `/s/${sandbox}`}/v1`,
    headers: {
      ...(chance(0.97) && { authorization: `Bearer ${key}` }),
      ...(chance(0.9) && { 'content-type': 'application/json' }),
      ...(chance(0.2) && { 'x-sim-call': pick(['call-1', 'call-2']) }),
      ...(chance(0.3) && { 'user-agent': 'test/1' }),
    },
    header: headerOfPlainCall,
    ...(chance(0.5) && { connection: 1 + below(3) }),
    ...(chance(0.2) && { holdsRefusals: true }),
  };
  if (isCreate) {
    const text = pick(bodies);
    const body = chance(0.05) ? new Uint8Array([0xff, 0x00, 0xc3]) : new TextEncoder().encode(text);
    return { ...base, method: 'POST', path: '/pets', query: '', body };
  }
  const query = pick(['', '', 'limit=3', 'status=sold', 'limit=101', 'status=sold&limit=1&page=2', 'x=1']);
  const path = chance(0.7) ? '/pets' : pick(['/pets/1', '/pets/41', '/pets/9007199254740993', '/pets/x', '/nothing']);
  return { ...base, method: pick(['GET', 'GET', 'GET', 'HEAD', 'DELETE']), path, query, body: undefined };
}

type Control = Pick<Extract<Command, { kind: 'control' }>, 'operation' | 'input' | 'origin' | 'client'>;

/** An input for each control operation that changes something. */
export const controlInputs: Record<string, (random: Random, machine: StateMachine, sandbox?: string) => unknown> = {
  changeClock: ({ pick, below }) =>
    pick([
      { advance: pick(['0ms', '1ms', '700ms', '2s', '45s', '61s', '1d']) },
      { set: new Date(noonMs + below(200_000)).toISOString() },
      { freeze: true },
      { resume: true },
    ]),
  loadScenario: (random) => ({ scenario: randomScenario(random, random.below(400)), reseed: random.chance(0.5) }),
  reset: () => ({}),
  addKey: ({ pick, below }) => ({
    key: pick(['alice-key', 'bob-key']),
    plan: pick(['free', 'pro']),
    usage: { minute: below(61) },
  }),
  revokeKey: keyInput,
  restoreKey: keyInput,
  banKey: (...of) => ({ ...keyInput(...of), for: '90s' }),
  unbanKey: keyInput,
  setKeyUsage: (...of) => ({ ...keyInput(...of), minute: of[0].below(60), day: of[0].below(900) }),
  exhaustKey: (...of) => ({ ...keyInput(...of), window: of[0].pick(['minute', 'day']) }),
  addFault: (random) => ({ ...randomFault(random), name: random.pick(['one', 'two', 'three']) }),
  replaceFault: (random) => ({ name: random.pick(['one', 'two', 'three']), fault: randomFault(random) }),
  removeFault: ({ pick }) => ({ name: pick(['one', 'two', 'fault-1', 'fault-2']) }),
  reportOutcome: ({ pick }) => ({
    call: pick(['call-1', undefined]),
    result: pick(['succeeded', 'failed', 'aborted']),
  }),
  clearJournal: () => ({}),
  importState: ({ pick }, machine, sandbox) =>
    exportState(machine.simOf(pick([sandbox, undefined])) ?? machine.sim, petState),
  saveSnapshot: ({ pick }) => ({ name: pick(['x', 'y']) }),
  restoreSnapshot: ({ pick }) => ({ name: pick(['x', 'y']) }),
  removeSnapshot: ({ pick }) => ({ name: pick(['x', 'y']) }),
  createSandbox: (random) => ({
    name: random.pick(sandboxNames),
    ...(random.chance(0.4) && { scenario: randomScenario(random, random.below(400)) }),
  }),
  removeSandbox: ({ pick }) => ({ sandbox: pick(sandboxNames) }),
  updateStoredPet: ({ below, pick }) => ({ id: String(1 + below(45)), status: pick(['pending', 'sold']), name: 'Zoë' }),
  removeStoredPet: ({ below }) => ({ id: String(1 + below(45)) }),
};

function keyInput({ pick }: Random, machine: StateMachine, sandbox?: string) {
  const { keys } = machine.simOf(sandbox) ?? machine.sim;
  return { key: pick([...keys.texts, ...keys.unlisted, 'no-such-key']) };
}

/** Those that turn everything round come less often than the others. */
const rare = ['reset', 'loadScenario', 'importState', 'clearJournal', 'removeSandbox'];

function randomControl(random: Random, machine: StateMachine, sandbox: string | undefined): Control {
  const { pick, chance } = random;
  const names = Object.keys(controlInputs);
  let operation = pick(names);
  if (rare.includes(operation) && chance(0.6)) operation = 'changeClock';
  const input = controlInputs[operation]?.(random, machine, sandbox);
  return { operation, input, origin: 'http://127.0.0.1:4010', ...(chance(0.5) && { client: 'test/1' }) };
}
