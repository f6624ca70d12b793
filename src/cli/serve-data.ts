import { LogOpenError } from '../log/log.js';
import { listenToOpened } from '../node/http/listen-to-opened.js';
import type { ListenOptions } from '../node/http/server.js';
import { openData } from '../node/open-data.js';
import { nameOfScenario } from '../node/scenario-files/scenario-files.js';
import { readShippedScenarios } from '../node/scenario-files/shipped-scenarios.js';
import { UsageError } from '../node/usage-error.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { generateAtStart } from './generated-pets.js';
import { type Served, startServer } from './start-server.js';
import { tell } from './tell.js';

/**
 * Serves what a folder keeps, or begins it with the scenario. What was found is told on standard error.
 * @throws {UsageError} for a folder that cannot be used, and for an address that cannot be had
 */
export async function serveData(
  resolved: ResolvedScenario,
  flags: { data?: string; scenario?: string; 'data-reset'?: boolean; fsync?: boolean },
  options: ListenOptions,
): Promise<Served> {
  const opened = await openData({
    folder: flags.data as string,
    resolved,
    scenarioName: nameOfScenario(flags.scenario ?? 'default'),
    scenarios: readShippedScenarios,
    generatePets: generateAtStart,
    reset: flags['data-reset'],
    fsync: flags.fsync,
  }).catch((error) => {
    throw error instanceof LogOpenError ? new UsageError(error.message) : error;
  });
  for (const notice of opened.notices) tell(notice);
  const server = await startServer(() => listenToOpened(opened, options), options);
  const { backend, load, isResumed } = opened;
  return { sim: backend.sim, load, server, ...(isResumed && { resumedFrom: flags.data }) };
}
