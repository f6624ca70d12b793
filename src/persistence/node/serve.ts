import type { ServerControl } from '../../control-api/control.js';
import { resolveScenario } from '../../petstore/scenario.js';
import type { SandboxesOptions } from '../../sandboxes/sandboxes.js';
import { anyOperation } from '../../scenario/operations.js';
import { readStart } from '../../scenario/read-start.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import { nameOfScenario, readScenarioAndFiles } from '../../scenario-files/scenario-files.js';
import { readShippedScenarios } from '../../scenario-files/shipped-scenarios.js';
import { serveState } from '../../server/serve-state.js';
import { type ListenOptions, listenOptions } from '../../server/server.js';
import { checkOptions } from '../../values/check-options.js';
import { dataEngine } from './data-engine.js';

export interface ServeOptions extends Omit<ListenOptions, 'holdRefusals'> {
  /** Name of a scenario of the package, path of a file, or content. Default: the default scenario. */
  scenario?: string | Scenario;
  /**
   * Folder for the state, or URL of a Redis or Valkey server that several servers share:
   * `redis://127.0.0.1:6379/0?name=staging`. New state starts with the scenario. A URL requires the package `ioredis`
   * 6.
   */
  data: string;
  /**
   * Whether to delete the state that `data` contains from an earlier server, before this server starts. Default: false.
   */
  dataReset?: boolean;
  /**
   * Whether each response waits until the disk has stored the request, to survive a power loss. By default, state
   * survives only the end of the process. Not for state in Redis, which has its own setting for flushes.
   */
  fsync?: boolean;
  /** Address at which the other servers of a URL in `data` reach this one, `HOST:PORT`. Default: its host and port. */
  advertise?: string;
  /** Maximum number and idle timeout of sandboxes. Default: 1,000, without a timeout. */
  sandboxes?: SandboxesOptions;
}

/**
 * Server with persistent state. Only its control API can change the simulator, because each change must be in the log.
 */
export interface ServedData {
  readonly port: number;
  /** API URL: `http://127.0.0.1:4010/v1`. Begins with the option `publicUrl`, if set. */
  readonly baseUrl: string;
  /** Control URL: `http://127.0.0.1:4010/__sim`. Begins with the option `publicUrl`, if set. */
  readonly controlUrl: string;
  readonly control: ServerControl;
  /**
   * Messages for the user about log entries that were lost or unreadable when the server started. Empty without such
   * problems.
   */
  readonly notices: readonly string[];
  /**
   * Stops the server. Responses in progress may take up to `graceMs` milliseconds more (default 1,500). Then unlocks
   * the folder of `--data`; with `--data redis://`, lets another server continue.
   */
  close(options?: { graceMs?: number }): Promise<void>;
}

const { holdRefusals: _, ...ofListen } = listenOptions;
const serveOptions: Record<keyof ServeOptions, true> = {
  ...ofListen,
  scenario: true,
  data: true,
  dataReset: true,
  fsync: true,
  advertise: true,
};

/**
 * Serves a simulated API over HTTP, and restores its data, limits and journal after a restart. The server stores each
 * change before it sends the response.
 * @throws {TypeError} without `data`; {LogOpenError} for an unusable folder or log, or a log with another scenario;
 * {StoreUnavailableError} for an unreachable store; {ScenarioError} for an invalid scenario; the errors of `listen`,
 * such as for a port in use
 * @example const server = await serve({ scenario: 'minute-wall', data: './state' });
 */
export async function serve(all: ServeOptions): Promise<ServedData> {
  checkOptions('serve', all, serveOptions);
  const { scenario = 'default', data, dataReset, fsync, advertise, ...options } = all;
  if (typeof data !== 'string' || data === '') {
    throw new TypeError(
      `serve: expected data, a folder or the address of a store, got ${data === '' ? 'an empty text' : typeof data}; without one, listen(createSimulator({ scenario })) serves from memory`,
    );
  }
  // Imports the Petstore's modules only in `serve`, so that a program that only calls `listen` does not load these
  // modules.
  const [{ createControl, servedPetstore }, { generatePets }] = await Promise.all([
    import('../../petstore/served-petstore.js'),
    import('../../petstore/generate-pets.js'),
  ]);
  // Accepts any operation name in the scenario if custom handlers are set. The names are checked later, when the
  // operations of the handlers are known.
  const operations = (options.handlers ?? options.upstream) === undefined ? undefined : anyOperation;
  const resolved =
    typeof scenario === 'string'
      ? (await readScenarioAndFiles(scenario, { generatePets, operations })).resolved
      : resolveScenario(scenario, generatePets, readStart, operations);
  const engine = await dataEngine(data, {
    service: servedPetstore,
    resolved,
    scenarioName: typeof scenario === 'string' ? nameOfScenario(scenario) : resolved.name,
    scenarios: readShippedScenarios,
    generatePets,
    reset: dataReset,
    fsync,
    advertise,
    sandboxes: options.sandboxes,
  });
  const { port, baseUrl, controlUrl, localUrl, notices, close } = await serveState(engine, options);
  const control = createControl(`${localUrl}/__sim`, { token: options.controlToken });
  return { port, baseUrl, controlUrl, control, notices, close };
}
