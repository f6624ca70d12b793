import type { ServedService } from '../control-api/served-service.js';
import { withTable } from '../requests/operation-table.js';
import { type Sandbox, Sandboxes, type SandboxesOptions, type SandboxState } from '../sandboxes/sandboxes.js';
import { anyOperation } from '../scenario/operations.js';
import { readStart } from '../scenario/read-start.js';
import { type ResolvedScenario, resolveInSteps } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, type Simulator, type SimulatorOptions, simulateFrom } from '../simulator/simulator.js';
import { forkServices, rulesOf, type SimulatorState } from '../simulator/simulator-state.js';
import { jsonText } from '../values/json.js';
import { runToEnd } from '../values/steps.js';
import { LogTime, type LogTimeOptions } from './log-time.js';
import type { SimulatorPiece } from './piece.js';
import { readPieces } from './read-pieces.js';
import { restoreSimulator, type ScenarioOf, type SimulatorParts } from './restore-simulator.js';
import { StateMachine } from './state-machine.js';

export interface MachineOptions
  extends Omit<SimulatorOptions, 'scenario' | 'operations' | 'handlers' | 'readStart'>,
    LogTimeOptions {
  /** API that the simulators serve, such as the Petstore, with the control operations for this API. */
  readonly service: ServedService;
  /** Maximum number and idle timeout of sandboxes. Default: 1,000, without a timeout. */
  readonly sandboxes?: SandboxesOptions | undefined;
}

/**
 * Creates the state of a server at the start of a scenario.
 * @param atMs time of the first entry in the server's command log
 */
export function startMachine(resolved: ResolvedScenario, atMs: number, options: MachineOptions): StateMachine {
  const time = new LogTime(options);
  const sim = time.at(atMs, () => createSimulator(resolved, options, time));
  return new StateMachine({ service: options.service, sim, time, ...common(sim, time, options) });
}

/**
 * Restores the state of a server from the parts of a snapshot, as `captureMachine` returned them.
 * @param knownScenario checked scenario with its generated pets; if the snapshot contains an equal scenario, that
 * scenario is not checked again
 * @throws {Error} for incomplete parts; {ScenarioError} for a scenario that this version of petstore-sim rejects
 */
export async function restoreMachine(
  pieces: AsyncIterable<unknown> | Iterable<unknown>,
  options: MachineOptions,
  knownScenario?: ResolvedScenario,
): Promise<StateMachine> {
  const { server, scenarios, simulators } = await readPieces(pieces);
  const scenarioOf = createResolver(scenarios, options, knownScenario);
  const [own, ...others] = simulators as [SimulatorParts, ...SimulatorParts[]];
  const time = new LogTime(options);
  return time.at(server.atMs, () => {
    const first = scenarioOf(own.head.petsFrom);
    const sim = createSimulator(first, options, time);
    const starts = new Map([[first, startOf(sim)]]);
    restoreSimulator(sim, own, scenarioOf);
    const restored = restoreSandboxes(sim, others, scenarioOf, starts);
    const { used, dropped, lastNumber } = server.sandboxes;
    const { makeSandboxes, onError } = common(sim, time, options);
    return new StateMachine({
      service: options.service,
      sim,
      time,
      onError,
      state: server,
      makeSandboxes(onMade) {
        const sandboxes = makeSandboxes(onMade);
        const inOrder = used.map((name) => restored.get(name) as SandboxState);
        sandboxes.restore({ sandboxes: inOrder, dropped, lastNumber });
        return sandboxes;
      },
    });
  });
}

/**
 * Initial data of a scenario, such as its pets, for each API that a simulator serves. Restored sandboxes with this
 * scenario share the data until their first write. A large list of pets is thus in memory only once.
 */
type Start = Pick<SimulatorState, 'services' | 'dataFrom'>;

const startOf = (sim: Simulator): Start => {
  const { state } = coreOf(sim);
  return { services: forkServices(state, state.dataFrom), dataFrom: state.dataFrom };
};

/**
 * Restores the sandboxes of a snapshot in the order of their creation. The journals' shared memory budget depends on
 * this order when it drops records.
 */
function restoreSandboxes(
  sim: Simulator,
  parts: readonly SimulatorParts[],
  scenarioOf: ScenarioOf,
  starts: Map<ResolvedScenario, Start>,
): Map<string, SandboxState> {
  const fields = ({ head }: SimulatorParts) => head.sandbox as NonNullable<SimulatorPiece['sandbox']>;
  const restored = new Map<string, SandboxState>();
  for (const each of [...parts].sort((a, b) => fields(a).number - fields(b).number)) {
    const resolved = scenarioOf(each.head.petsFrom);
    const start = starts.get(resolved);
    const sandbox = coreOf(sim).forkFrom(resolved, start && forkServices(start, resolved));
    if (start === undefined) starts.set(resolved, startOf(sandbox));
    restoreSimulator(sandbox, each, scenarioOf);
    restored.set(fields(each).name, { ...fields(each), sim: sandbox });
  }
  return restored;
}

const createSimulator = (resolved: ResolvedScenario, options: MachineOptions, time: LogTime) =>
  simulateFrom(options.service.main, resolved, { ...options, readStart }, time);

/**
 * Fills in the defaults of a scenario that was stored in the append-only log. Accepts any operation name, because the
 * server that stored the scenario has checked the names.
 */
export function resolveLogged(scenario: Scenario, options: MachineOptions): ResolvedScenario {
  const rules = rulesOf(options.service.main, (options.services ?? []).map(withTable));
  return runToEnd(resolveInSteps(scenario, rules, { ...options, readStart }, undefined, anyOperation));
}

const common = (sim: Simulator, time: LogTime, { sandboxes, onError = console.error }: MachineOptions) => ({
  onError,
  makeSandboxes: (onMade: (sandbox: Sandbox) => void) =>
    new Sandboxes(sim, () => time.now(), {
      idleMs: Number.POSITIVE_INFINITY,
      ...sandboxes,
      // Ignores open streams when idle sandboxes are removed, because the log does not contain streams. The log command
      // `touch` marks a sandbox as used instead.
      isWatched: () => false,
      onMade,
    }),
});

function createResolver(
  scenarios: readonly Scenario[],
  options: MachineOptions,
  knownScenario: ResolvedScenario | undefined,
): ScenarioOf {
  const resolved: ResolvedScenario[] = [];
  let known: string | undefined;
  return (number) => {
    const content = scenarios[number];
    if (content === undefined) throw new Error(`Failed to read the snapshot: expected scenario ${number}, got none`);
    known ??= knownScenario && jsonText(knownScenario.scenario);
    const isKnown = knownScenario !== undefined && known === jsonText(content);
    resolved[number] ??= isKnown ? knownScenario : resolveLogged(content, options);
    return resolved[number];
  };
}
