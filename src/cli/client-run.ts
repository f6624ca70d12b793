import { roundUpToSecond } from '../clock/round-up-to-second.js';
import type { ServedSimulators } from '../control-api/served-simulators.js';
import type { Verdict } from '../judge/judge-run.js';
import { measureLag } from '../judge/node/machine-lag.js';
import type { ClientEnd } from '../judge/run.js';
import type { RecordingOptions } from '../persistence/node/recording-engine.js';
import { createSimulatorFrom } from '../petstore/create-simulator.js';
import { generatePets } from '../petstore/generate-pets.js';
import { loadPetstore } from '../petstore/load-petstore.js';
import { resolveScenario } from '../petstore/scenario.js';
import type { ApiCall } from '../requests/api-call.js';
import type { Sandbox } from '../sandboxes/sandboxes.js';
import { clientOf, type ScenarioClient } from '../scenario/client.js';
import { readStart } from '../scenario/read-start.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { readShippedScenarios } from '../scenario-files/shipped-scenarios.js';
import { memoryEngine, type OpenedState, type ServedState, serveState } from '../server/serve-state.js';
import type { RunningServer } from '../server/server.js';
import { displayKey } from '../simulator/redact.js';
import { toLoggedCall } from '../simulator/sent-key.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { pluralize } from '../values/pluralize.js';
import { type ClientOptions, type ClientResult, runClientCommand } from './client-command.js';
import type { RecordedCall } from './replayed-calls.js';
import { baseUrlFor, operationsWith, type RoutesFromFlags } from './route-flags.js';
import type { JudgedRun } from './verdict-reports.js';

/** Result of running a client's command against a new simulator. */
export interface ClientRun extends ClientResult, Pick<JudgedRun, 'entries' | 'nameKey'> {
  verdict: Verdict;
  /** Creates the run's report data (`RunReport`) as JSON, with a given verdict. */
  run: (verdict: Verdict) => Promise<string>;
  /** Run time of the command. */
  lastedMs: number;
}

export interface ClientRunOptions extends Pick<ClientOptions, 'folder' | 'output' | 'timeoutMs' | 'stopped'> {
  /** API key for the client, instead of the scenario's key. */
  apiKey?: string | undefined;
  /** Receives every request before its response is sent, also those to a sandbox. */
  calls?: RecordedCall[] | undefined;
  /** File for a recording of the run, and the scenario's name in the recording. */
  recording?: Pick<RecordingOptions, 'file' | 'scenarioName' | 'onLost'> | undefined;
  /** The user's own request handlers or backend, set with command-line flags. */
  routes?: RoutesFromFlags | undefined;
}

/**
 * Checks a scenario for `runClient`, and generates the pets that the scenario's field `pets.generate` requests.
 * @throws {ScenarioError} if the scenario is invalid
 */
export const resolveForClient = (scenario: Scenario, routes?: RoutesFromFlags): ResolvedScenario =>
  resolveScenario(scenario, generatePets, readStart, operationsWith(routes));

/**
 * Starts a simulator on a free port, runs the client's command against the simulator, and judges the client. The
 * command's environment contains the service's URLs, `PETSTORE_BASE_URL` and `PETSTORE_SIM_URL`, and the scenario's
 * requirements, `PETSTORE_API_KEY`, `PETSTORE_OPERATION`, `PETSTORE_CALLS` and `PETSTORE_PARALLEL`. `NO_PROXY` and
 * `no_proxy` contain the service's hosts.
 * @throws {UsageError} if the command cannot be started
 */
export async function runClient(
  command: readonly string[],
  resolved: ResolvedScenario,
  { apiKey, calls, folder, output, timeoutMs, stopped, ...options }: ClientRunOptions,
): Promise<ClientRun> {
  const { scenario } = resolved;
  const client = clientOf(scenario);
  if (apiKey !== undefined) client.key = apiKey;
  const named =
    scenario.client === undefined ? scenario : { ...scenario, client: { ...scenario.client, key: client.key } };
  let firstAtMs: number | undefined;
  const record: Observation['record'] = (call, atMs, sim) => {
    firstAtMs ??= performance.now();
    calls?.push({ atMs, call: toLoggedCall(coreOf(sim).state, call) });
  };
  const session = await openSession({ ...resolved, scenario: named }, { ...options, record });
  const startMs = performance.now();
  const meter = measureLag();
  let hasRun = false;
  try {
    const clientResult = await runClientCommand(command, {
      env: environment(session, client, options.routes),
      folder,
      output,
      timeoutMs,
      stopped,
    });
    hasRun = true;
    const lag = { timerMs: meter.maximumMs(), startMs: (firstAtMs ?? startMs) - startMs };
    const { exitCode, stoppedBy } = clientResult.end;
    const isInterrupted = stoppedBy !== undefined;
    const end = { isInterrupted, ...(!isInterrupted && { hasFailed: exitCode !== 0 }) };
    const own = { sim: session.simulators.sim, verdict: await session.judge(end) };
    const { sim, verdict: judged } = await withSandboxes(own, session.usedSandboxes, end);
    const lastedMs = performance.now() - startMs;
    const entries = sim.journal.query();
    const [{ redactedVerdict }, { markLag }, { readDependencies }, { remediesFor }] = await Promise.all([
      import('../control-api/redacted-verdict.js'),
      import('../judge/deciding-lag.js'),
      import('./client-dependencies.js'),
      import('../judge/remedy.js'),
    ]);
    const limitMs = stoppedBy === 'timeout' ? timeoutMs : undefined;
    const marked = markLag(sim, judged, { isOver: true, end }, lag, limitMs);
    const remedies = remediesFor(judged.findings, entries, readDependencies(folder));
    const verdict = redactedVerdict(sim, { ...marked, ...(remedies.length > 0 && { remedies }) });
    const run = async (shown: Verdict) => {
      const [{ runText }, { operations }] = await Promise.all([
        import('../control-api/run-operations.js'),
        loadPetstore(),
      ]);
      return runText(sim, shown, operations);
    };
    const { maskedLine } = await import('./masked-line.js');
    const commandEnd = { ...clientResult.end, line: maskedLine(sim, command) };
    return {
      ...clientResult,
      end: commandEnd,
      verdict,
      entries,
      nameKey: (key) => displayKey(sim, key),
      run,
      lastedMs,
    };
  } finally {
    meter.stop();
    await session.close({ graceMs: 0 });
    if (!hasRun) session.discard?.();
  }
}

/** A simulator that served requests of the client, and the verdict on them. */
interface JudgedSimulator {
  sim: Simulator;
  verdict: Verdict;
}

/** Outcomes, the worst first, with their words in a list of counts. */
const outcomes = { fail: 'failed', pass: 'passed', inconclusive: 'inconclusive' } as const;

/**
 * Judges the requests to each sandbox like those of a separate client, because each test of a test runner has a sandbox.
 * @returns the simulator with the worst verdict, whose reason states the number of sandboxes; `own` if the client sent
 * nothing to a sandbox
 */
async function withSandboxes(own: JudgedSimulator, used: Iterable<Sandbox>, end: ClientEnd): Promise<JudgedSimulator> {
  const { judge } = await import('../judge/judge.js');
  const judged = [...used]
    .filter(({ sim }) => coreOf(sim).state.journal.lastId > 0)
    .map(({ name, sim }) => ({ name, sim, verdict: judge(sim, { isOver: true, end }) }));
  if (judged.length === 0) return own;
  const all = coreOf(own.sim).state.journal.lastId > 0 ? [own, ...judged] : judged;
  const isOf = (outcome: string) => (each: JudgedSimulator) => each.verdict.outcome === outcome;
  const worst = Object.keys(outcomes).flatMap((outcome) => all.filter(isOf(outcome)))[0] ?? own;
  const counts = Object.entries(outcomes).flatMap(([outcome, word]) => {
    const count = judged.filter(isOf(outcome)).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const shown = 'name' in worst ? ` Shown: ${worst.name}.` : '';
  const reason = `${worst.verdict.reason} ${pluralize(judged.length, 'sandbox', 'sandboxes')}: ${counts.join(', ')}.${shown}`;
  return { sim: worst.sim, verdict: { ...worst.verdict, reason } };
}

/** A simulator that serves HTTP during one run of a client. */
interface ClientState extends OpenedState {
  /** Sandboxes that the client used, also those that it has removed. */
  readonly usedSandboxes: ReadonlySet<Sandbox>;
  /** Judges the client after its process has ended. */
  judge(end: ClientEnd): Promise<Verdict>;
}

/** Starts the simulator for one run of a client. */
export async function openSession(
  resolved: ResolvedScenario,
  { record, recording, routes }: Pick<ClientRunOptions, 'recording' | 'routes'> & Pick<Observation, 'record'> = {},
): Promise<ServedState<ClientState>> {
  const usedSandboxes = new Set<Sandbox>();
  const open = async (): Promise<ClientState> => {
    if (recording === undefined) {
      const sim = createSimulatorFrom(resolved, { scenarios: readShippedScenarios, readStart, generatePets });
      const state = await memoryEngine(sim, loadPetstore).open();
      const simulators = observedSimulators(state.simulators, {
        align: () => roundUpToSecond(coreOf(sim).state.clock),
        record,
        usedSandboxes,
      });
      const judge: ClientState['judge'] = async (end) =>
        (await import('../judge/judge.js')).judge(sim, { isOver: true, end });
      return { ...state, simulators, usedSandboxes, judge };
    }
    const { recordedEngine } = await import('./logged-engine.js');
    const engine = await recordedEngine({
      ...recording,
      service: await loadPetstore(),
      resolved,
      scenarios: readShippedScenarios,
      generatePets,
    });
    const state = await engine.open();
    const { machine, run } = state;
    const simulators = observedSimulators(state.simulators, {
      align: () => void run({ kind: 'alignClock' }),
      record,
      usedSandboxes,
    });
    return {
      ...state,
      simulators,
      usedSandboxes,
      async judge(end) {
        await run({ kind: 'runEnded', ...end });
        return machine.judge();
      },
    };
  };
  return serveState({ open }, { port: 0, holdRefusals: true, ...routes });
}

/** Hosts of this machine, as HTTP libraries compare them with NO_PROXY: an IPv6 address with and without brackets. */
const ownHosts = ['127.0.0.1', 'localhost', '::1', '[::1]'];

/**
 * Hosts to which a client's command connects without the proxy of HTTP_PROXY: those of the environment and this machine.
 * Both spellings of the variable have one value, because libraries read either of them. `*` stands for all hosts.
 */
function withoutProxy({ NO_PROXY, no_proxy }: NodeJS.ProcessEnv) {
  const given = [NO_PROXY, no_proxy].flatMap((hosts) => hosts?.split(/[\s,]+/).filter(Boolean) ?? []);
  const hosts = [NO_PROXY, no_proxy].some((each) => each?.trim() === '*')
    ? '*'
    : [...new Set([...given, ...ownHosts])].join(',');
  return { NO_PROXY: hosts, no_proxy: hosts };
}

/** Environment variables that a client's command receives. */
export const environment = (
  { baseUrl, controlUrl }: Pick<RunningServer, 'baseUrl' | 'controlUrl'>,
  { key, operation, calls, parallel }: ScenarioClient,
  routes: RoutesFromFlags = {},
) => ({
  ...withoutProxy(process.env),
  PETSTORE_BASE_URL: baseUrlFor(baseUrl, routes),
  PETSTORE_SIM_URL: controlUrl,
  PETSTORE_API_KEY: key,
  PETSTORE_OPERATION: operation,
  PETSTORE_CALLS: String(calls),
  PETSTORE_PARALLEL: String(parallel),
});

interface Observation {
  /** Moves the clock to a whole second. */
  align: () => void;
  record?: ((call: ApiCall, atMs: number, sim: Simulator) => void) | undefined;
  /** Set to which the sandboxes are added that the client uses. */
  usedSandboxes: Set<Sandbox>;
}

/**
 * Passes the client's requests to `record`, and moves the clock to a whole second at the client's first request.
 * Otherwise the waits would differ from run to run by a fraction of a second.
 */
function observedSimulators(
  simulators: ServedSimulators,
  { align, record, usedSandboxes }: Observation,
): ServedSimulators {
  let isAligned = simulators.sim.scenario.clock?.mode === 'frozen';
  const prepare = (call: ApiCall) => {
    if (!isAligned) align();
    isAligned = true;
    record?.(call, simulators.sim.clock.now(), simulators.sim);
  };
  const { routes } = coreOf(simulators.sim);
  const handleRoute = routes.handle;
  routes.handle = (call) => {
    prepare(call);
    return handleRoute(call);
  };
  return {
    ...simulators,
    useSandbox(name) {
      const sandbox = simulators.useSandbox(name);
      if (sandbox !== undefined) usedSandboxes.add(sandbox);
      return sandbox;
    },
    handle(sandbox, call, ...then) {
      if (sandbox === undefined) prepare(call);
      else {
        usedSandboxes.add(sandbox);
        record?.(call, sandbox.sim.clock.now(), sandbox.sim);
      }
      simulators.handle(sandbox, call, ...then);
    },
  };
}
