import type { ServerControl } from '../control/create-control.js';
import { readStart } from '../scenario/read-start.js';
import { resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { SandboxesOptions } from '../simulator/sandboxes.js';
import { type ListenOptions, listenTo } from './http/server.js';
import { nameOfScenario, readScenarioAndFiles } from './scenario-files/scenario-files.js';
import { readShippedScenarios } from './scenario-files/shipped-scenarios.js';

export interface ServeOptions extends Omit<ListenOptions, 'handlers' | 'holdRefusals'> {
  /** The name of a shipped scenario, a file, or the content itself. Default: the default scenario. */
  scenario?: string | Scenario;
  /** The folder that keeps the state. One that is empty or not there begins with the scenario. */
  data: string;
  /** Begins anew, whatever the folder holds. Default false. */
  dataReset?: boolean;
  /** Whether an answer goes out only when it would outlive a power loss, not only the end of the process. Default false. */
  fsync?: boolean;
  /** Default: unused sandboxes stay, and there may be 1,000. */
  sandboxes?: SandboxesOptions;
}

/** A server whose state is kept in a folder. Its simulator is only reached by its control: a change has to be written down. */
export interface ServedData {
  readonly port: number;
  /** Where the API is: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /** Where the control API is: `http://127.0.0.1:4010/__sim`. */
  readonly controlUrl: string;
  readonly control: ServerControl;
  /** Sentences about what was lost or set aside at the start; empty when all was well. */
  readonly notices: readonly string[];
  /** Stops listening, lets answers under way finish for at most `graceMs` (default 1,500), and gives the folder free. */
  close(options?: { graceMs?: number }): Promise<void>;
}

/**
 * Serves a simulator over HTTP that outlives its process: pets, windows, strikes, bans, clock, faults, sandboxes and
 * journal are in a folder before an answer goes out.
 * @throws {LogOpenError} for a folder that cannot be used or holds the state of another scenario; {ScenarioError}; and as
 * `listen`
 * @example const server = await serve({ scenario: 'minute-wall', data: './state' });
 */
export async function serve({
  scenario = 'default',
  data,
  dataReset,
  fsync,
  ...options
}: ServeOptions): Promise<ServedData> {
  // Only here, because `listen` needs none of it.
  const [{ createControl }, { generatePets }, { openData }] = await Promise.all([
    import('../control/create-control.js'),
    import('../scenario/generate-pets.js'),
    import('./open-data.js'),
  ]);
  const resolved =
    typeof scenario === 'string'
      ? (await readScenarioAndFiles(scenario, { generatePets })).resolved
      : resolveScenario(scenario, generatePets, readStart);
  const opened = await openData({
    folder: data,
    resolved,
    scenarioName: typeof scenario === 'string' ? nameOfScenario(scenario) : resolved.name,
    scenarios: readShippedScenarios,
    generatePets,
    reset: dataReset,
    fsync,
    sandboxes: options.sandboxes,
  });
  try {
    const server = await listenTo(opened.backend, options);
    return {
      ...server,
      notices: opened.notices,
      control: createControl(server.controlUrl, { token: options.controlToken }),
      async close(how) {
        await server.close(how);
        await opened.close();
      },
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
