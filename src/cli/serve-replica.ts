import { LogOpenError, LogUnavailableError } from '../log/log.js';
import { readRedisAddress } from '../log/redis/address.js';
import { StoreAwayError } from '../log/redis/connection.js';
import type { ListenOptions } from '../node/http/server.js';
import { nameOfScenario } from '../node/scenario-files/scenario-files.js';
import { readShippedScenarios } from '../node/scenario-files/shipped-scenarios.js';
import { serveReplica as serve } from '../node/serve-replica.js';
import { UsageError } from '../node/usage-error.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { generateAtStart } from './generated-pets.js';
import { type Served, startServer } from './start-server.js';
import { tell, tellNotes } from './tell.js';

/**
 * Serves the log of a store beside other replicas, or begins it with the scenario. Where it is, and what was found, is told
 * on standard error.
 * @throws {UsageError} for a store or a log that cannot be used, and for an address that cannot be had
 */
export async function serveReplica(
  resolved: ResolvedScenario,
  flags: { data?: string; scenario?: string; 'data-reset'?: boolean },
  options: ListenOptions,
): Promise<Served> {
  const start = async () => {
    const address = readRedisAddress(flags.data as string);
    const served = await serve(
      {
        address,
        resolved,
        scenarioName: nameOfScenario(flags.scenario ?? 'default'),
        scenarios: readShippedScenarios,
        generatePets: generateAtStart,
        reset: flags['data-reset'],
      },
      options,
    );
    return { address, served };
  };
  const { address, served } = await startServer(start, options).catch((error) => {
    const isOfStore = [LogOpenError, StoreAwayError, LogUnavailableError].some((Kind) => error instanceof Kind);
    throw isOfStore ? new UsageError(error.message) : error;
  });
  for (const notice of served.notices) tell(notice);
  const others = served.replicas.filter((name) => name !== served.replica);
  const beside = others.length === 0 ? 'no other replica' : `beside ${others.join(', ')}`;
  tellNotes([`replica ${served.replica} of ${address.shown}, at entry ${served.position}, ${beside}`]);
  return { sim: served.backend.sim, load: served.load, server: served };
}
