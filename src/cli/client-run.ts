import type { ApiCall } from '../adapters/api-call.js';
import { listen } from '../node/http/server.js';
import { clientOf, type ScenarioClient } from '../scenario/client.js';
import { defaultScenario } from '../scenario/default-scenario.js';
import { generatePets } from '../scenario/generate-pets.js';
import { readStart } from '../scenario/read-start.js';
import { type ResolvedScenario, resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf, createSimulatorFrom, type Simulator } from '../simulator/simulator.js';
import { putOnASecond } from '../state/put-on-a-second.js';
import type { RequestRecord } from '../state/request-record.js';
import type { Verdict } from '../verdict/judge-run.js';
import { type CommandOptions, type CommandResult, runCommand } from './client-command.js';
import { type ClientSession, listenOptions } from './client-session.js';

/** One run of a client's command against a simulator of its own. */
export interface ClientRun extends CommandResult {
  verdict: Verdict;
  /** The journal that was judged. */
  entries: readonly RequestRecord[];
  /** The `RunReport` of the run as JSON, with the verdict to show. */
  run: (verdict: Verdict) => Promise<string>;
  /** How long the command ran. */
  lastedMs: number;
}

export interface ClientRunOptions extends Pick<CommandOptions, 'output' | 'timeoutMs' | 'stopped'> {
  /** The API key, instead of the one that the scenario hands out. */
  apiKey?: string | undefined;
  /** Called with every request, before it is answered. */
  record?: (call: ApiCall, atMs: number) => void;
  /** The file to write down everything in, and the name of the scenario. */
  recording?: { file: string; scenarioName: string } | undefined;
}

/** Checks a scenario and makes its pets, for `runClient`. @throws {ScenarioError} */
export const resolveForClient = (scenario: Scenario): ResolvedScenario =>
  resolveScenario(scenario, generatePets, readStart);

/**
 * Starts a simulator on a free port, runs the command against it, and judges the client. The command finds in its
 * environment where the service is, `PETSTORE_BASE_URL` and `PETSTORE_SIM_URL`, and what the scenario needs of it,
 * `PETSTORE_API_KEY`, `PETSTORE_OPERATION`, `PETSTORE_CALLS` and `PETSTORE_PARALLEL`.
 * @throws {UsageError} when the command cannot be started
 */
export async function runClient(
  command: readonly string[],
  resolved: ResolvedScenario,
  { apiKey, output, timeoutMs, stopped, record, recording }: ClientRunOptions,
): Promise<ClientRun> {
  const { scenario } = resolved;
  const client = clientOf(scenario);
  if (apiKey !== undefined) client.key = apiKey;
  const named =
    scenario.client === undefined ? scenario : { ...scenario, client: { ...scenario.client, key: client.key } };
  const session =
    recording === undefined
      ? await judgedSession({ ...resolved, scenario: named }, record)
      : await (await import('./recorded-session.js')).recordedSession({ ...resolved, scenario: named }, recording);
  const startMs = performance.now();
  let end = session.discard ?? session.close;
  try {
    const result = await runCommand(command, { env: environment(session.server, client), output, timeoutMs, stopped });
    end = session.close;
    const { exitCode, stoppedBy } = result.end;
    const isInterrupted = stoppedBy !== undefined;
    const judged = await session.judge({ isInterrupted, ...(!isInterrupted && { hasFailed: exitCode !== 0 }) });
    const lastedMs = performance.now() - startMs;
    const { sim } = session;
    const { redactedVerdict } = await import('../control/redacted-verdict.js');
    const verdict = redactedVerdict(sim, judged, defaultScenario);
    const run = async (shown: Verdict) => (await import('../control/run-operations.js')).runText(sim, shown);
    return { ...result, verdict, entries: sim.journal.query(), run, lastedMs };
  } finally {
    await end.call(session);
  }
}

/** Starts the simulator of one run. */
export async function judgedSession(
  resolved: ResolvedScenario,
  record?: ClientRunOptions['record'],
): Promise<ClientSession> {
  const sim = createSimulatorFrom(resolved, { readStart, generatePets });
  const server = await listen(startingOnASecond(sim, record), listenOptions);
  return {
    sim,
    server,
    judge: async (end) => (await import('../verdict/judge.js')).judge(sim, { isOver: true, end }),
    close: () => server.close({ graceMs: 0 }),
  };
}

/** Environment variables of a client's command. */
export const environment = (
  { baseUrl, controlUrl }: ClientSession['server'],
  { key, operation, calls, parallel }: ScenarioClient,
) => ({
  PETSTORE_BASE_URL: baseUrl,
  PETSTORE_SIM_URL: controlUrl,
  PETSTORE_API_KEY: key,
  PETSTORE_OPERATION: operation,
  PETSTORE_CALLS: String(calls),
  PETSTORE_PARALLEL: String(parallel),
});

/** The same simulator, whose clock is put on a whole second when the first request comes. */
function startingOnASecond(sim: Simulator, record?: ClientRunOptions['record']): Simulator {
  let hasStarted = sim.scenario.clock?.mode === 'frozen';
  const handle: Simulator['handle'] = (call) => {
    if (!hasStarted) putOnASecond(coreOf(sim).state.clock);
    hasStarted = true;
    record?.(call, sim.clock.now());
    return sim.handle(call);
  };
  return Object.create(sim, { handle: { value: handle } });
}
