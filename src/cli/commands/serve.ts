import { createSimulatorFrom } from '../../petstore/create-simulator.js';
import { loadPetstore } from '../../petstore/load-petstore.js';
import { readStart } from '../../scenario/read-start.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import type { Override } from '../../scenario-files/overrides.js';
import { readScenarioAndFiles } from '../../scenario-files/scenario-files.js';
import { readShippedScenarios } from '../../scenario-files/shipped-scenarios.js';
import { type Engine, memoryEngine } from '../../server/serve-state.js';
import { coreOf } from '../../simulator/simulator.js';
import { UsageError } from '../../validation/usage-error.js';
import type { CliInput } from '../cli-input.js';
import { generateAtStart, refuseManyPets } from '../generated-pets.js';
import { type ListenFlags, readListenFlags, stopOnSignal, wholeNumber } from '../listen-flags.js';
import { announce } from '../listening-lines.js';
import type { DataFlags, ServableState } from '../logged-engine.js';
import { printNotes } from '../print-error.js';
import { operationsWith, type RouteFlags, readRouteFlags } from '../route-flags.js';
import { startServer } from '../start-server.js';
import { refusedStatuses } from '../verdict-flags.js';

/** Flags of `petstore-sim serve`. */
export interface ServeFlags extends ListenFlags, DataFlags, RouteFlags {
  scenario?: string;
  set?: string[];
  seed?: string;
  'no-limits'?: boolean;
  'key-from'?: string;
  watch?: boolean;
  reseed?: boolean;
  'allowed-origin'?: string[];
  open?: boolean;
  'until-eof'?: boolean;
}

/**
 * Runs the server until SIGINT or SIGTERM, or with `--until-eof` until standard input ends.
 * @throws {UsageError} for an invalid flag or an unusable address; {ScenarioError} for an invalid scenario
 */
export async function serve({ flags }: CliInput<ServeFlags>): Promise<void> {
  const listening = readListenFlags(flags);
  const { scenario: nameOrFile = 'default', watch = false, reseed = false } = flags;
  const isLogged = (flags.data ?? flags.record ?? flags['data-reset'] ?? flags.fsync ?? flags.advertise) !== undefined;
  const logged = isLogged ? await import('../logged-engine.js') : undefined;
  logged?.checkDataFlags(flags);
  if (reseed && !watch) throw new UsageError('expected --watch with --reseed, got no --watch');
  const overrides = await readOverrides(flags);

  const routes = await readRouteFlags(flags);
  const operations = operationsWith(routes);
  const first = await readScenarioAndFiles(nameOrFile, { overrides, generatePets: generateAtStart, operations });
  printNotes(first.notes);
  if (watch && first.files.length === 0) {
    throw new UsageError(`expected a file with --watch, got the shipped scenario ${nameOrFile}`);
  }
  const options = { ...listening.options, allowedOrigins: flags['allowed-origin'] ?? [], ...routes };
  const engine = (await logged?.loggedEngine(first.resolved, flags)) ?? memory(first.resolved);
  const server = await startServer(engine, { ...listening, options });
  const stop = stopOnSignal(server);
  if (flags['until-eof']) process.stdin.on('end', stop).resume();
  if (watch) {
    const [{ watchScenario }, { reportReload }] = await Promise.all([
      import('../../scenario-files/watch-scenario.js'),
      import('../report-reload.js'),
    ]);
    const known = { operations: coreOf(server.simulators.sim).state.shared.operations };
    const read = () => readScenarioAndFiles(nameOrFile, { overrides, ...known });
    const load: ServableState['load'] = (scenario, how) => {
      refuseManyPets(scenario);
      return server.load(scenario, how);
    };
    watchScenario(first, {
      read,
      load,
      reseed,
      onReload: reportReload(nameOrFile, listening.log, listening.writeLine),
    });
  }
  if (flags.open) (await import('../open-browser.js')).openBrowser(`${server.localUrl}/__sim/`);
  announce({ ...listening, options }, server.simulators.sim, server);
}

function memory(resolved: ResolvedScenario): Engine<ServableState> {
  const sim = createSimulatorFrom(resolved, {
    scenarios: readShippedScenarios,
    generatePets: generateAtStart,
    readStart,
  });
  return memoryEngine(sim, loadPetstore);
}

/**
 * Scenario fields that flags of `petstore-sim serve` set, such as `--seed`, in the order in which the fields are set.
 */
export async function readOverrides(
  flags: Pick<ServeFlags, 'seed' | 'no-limits' | 'key-from' | 'set'> & { refused?: string[] },
): Promise<Override[]> {
  const { seed, 'no-limits': noLimits, 'key-from': keyFrom, set = [] } = flags;
  const refused = refusedStatuses(flags.refused);
  const overrides: Override[] = [];
  if (seed !== undefined) {
    const value = wholeNumber('--seed', seed, Number.MAX_SAFE_INTEGER);
    overrides.push({ flag: '--seed', steps: ['seed'], value });
  }
  if (noLimits) overrides.push({ flag: '--no-limits', steps: ['limits'], value: 'off' });
  if (keyFrom !== undefined) overrides.push({ flag: '--key-from', steps: ['keyFrom'], value: keyFrom });
  if (refused !== undefined) overrides.push({ flag: '--refused', steps: ['expect', 'refused'], value: refused });
  if (set.length > 0) {
    const { readSetFlag } = await import('../../scenario-files/overrides.js');
    for (const text of set) overrides.push(await readSetFlag(text));
  }
  return overrides;
}
