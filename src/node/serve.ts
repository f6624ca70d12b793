import type { ServerControl } from '../control-api/create-control.js';
import type { SandboxesOptions } from '../sandboxes/sandboxes.js';
import { readStart } from '../scenario/read-start.js';
import { resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { checkOptions } from '../values/check-options.js';
import { dataEngine } from './data-engine.js';
import { type ListenOptions, listenOptions } from './http/server.js';
import { nameOfScenario, readScenarioAndFiles } from './scenario-files/scenario-files.js';
import { readShippedScenarios } from './scenario-files/shipped-scenarios.js';
import { serveState } from './serve-state.js';

export interface ServeOptions extends Omit<ListenOptions, 'handlers' | 'holdRefusals'> {
  /** The name of a shipped scenario, a file, or the content itself. Default: the default scenario. */
  scenario?: string | Scenario;
  /**
   * The folder that keeps the state, or the address of a Redis or Valkey that many servers share:
   * `redis://127.0.0.1:6379/0?name=staging`. One that holds nothing begins with the scenario. An address needs `ioredis` 6.
   */
  data: string;
  /** Begins anew, whatever is there. Default false. */
  dataReset?: boolean;
  /**
   * Of a folder: whether an answer goes out only when it would outlive a power loss, not only the end of the process.
   * Default false.
   */
  fsync?: boolean;
  /** Default: unused sandboxes stay, and there may be 1,000. */
  sandboxes?: SandboxesOptions;
}

/** A server whose state is kept in a folder or a store. Its simulator is only reached by its control: a change has to be written down. */
export interface ServedData {
  readonly port: number;
  /** Where the API is: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /** Where the control API is: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string;
  readonly control: ServerControl;
  /** Sentences about what was lost or set aside at the start; empty when all was well. */
  readonly notices: readonly string[];
  /** Stops listening, lets answers under way finish for at most `graceMs` (default 1,500), and gives the folder free or tells the other servers. */
  close(options?: { graceMs?: number }): Promise<void>;
}

const { handlers: _, holdRefusals: __, ...ofListen } = listenOptions;
const serveOptions: Record<keyof ServeOptions, true> = {
  ...ofListen,
  scenario: true,
  data: true,
  dataReset: true,
  fsync: true,
};

/**
 * Serves a simulator over HTTP that outlives its process: pets, windows, strikes, bans, clock, faults, sandboxes and
 * journal are in a folder or a store before an answer goes out.
 * @throws {TypeError} without `data`; {LogOpenError} for a folder or a log that cannot be used or holds the state of another scenario; {StoreUnavailableError}
 * for a store that cannot be reached; {ScenarioError}; and as `listen`
 * @example const server = await serve({ scenario: 'minute-wall', data: './state' });
 */
export async function serve(all: ServeOptions): Promise<ServedData> {
  checkOptions('serve', all, serveOptions);
  const { scenario = 'default', data, dataReset, fsync, ...options } = all;
  if (typeof data !== 'string' || data === '') {
    throw new TypeError(
      `serve: expected data, a folder or the address of a store, got ${data === '' ? 'an empty text' : typeof data}; without one, listen(createSimulator({ scenario })) serves from memory`,
    );
  }
  // Only here, because `listen` needs none of it.
  const [{ createControl }, { generatePets }] = await Promise.all([
    import('../control-api/create-control.js'),
    import('../scenario/generate-pets.js'),
  ]);
  const resolved =
    typeof scenario === 'string'
      ? (await readScenarioAndFiles(scenario, { generatePets })).resolved
      : resolveScenario(scenario, generatePets, readStart);
  const engine = await dataEngine(data, {
    resolved,
    scenarioName: typeof scenario === 'string' ? nameOfScenario(scenario) : resolved.name,
    scenarios: readShippedScenarios,
    generatePets,
    reset: dataReset,
    fsync,
    sandboxes: options.sandboxes,
  });
  const { port, baseUrl, controlUrl, notices, close } = await serveState(engine, options);
  const control = createControl(controlUrl, { token: options.controlToken });
  return { port, baseUrl, controlUrl, control, notices, close };
}
