import { resolveForClient, runClient } from '../../src/cli/client-run.js';
import { inParallel } from '../../src/cli/in-parallel.js';
import { clientOf } from '../../src/scenario/client.js';
import { readShippedScenarios } from '../../src/scenario-files/shipped-scenarios.js';
import type { Client } from './clients.js';
import { commandOf } from './languages.js';
import { type GauntletCell, type GauntletCells, judged } from './results.js';

/** The shipped scenarios that expect something of a client, as `petstore-sim gauntlet` runs them. */
export const gauntletScenarios = Object.entries(readShippedScenarios())
  .filter(([, scenario]) => scenario.expect !== undefined)
  .map(([name, scenario]) => ({ name, scenario, callers: clientOf(scenario).parallel }));

/** Time limit of one run, as of `petstore-sim gauntlet`. */
const timeoutMs = 120_000;

/** Clients mostly wait; a burst needs all of its callers within a second, so fewer run at once. */
const lanes = { waiting: 18, calm: 3 };

interface Job {
  client: Client;
  station: (typeof gauntletScenarios)[number];
  cell?: GauntletCell;
}

/**
 * Runs the clients, set right, against scenarios of the gauntlet. Bursts, and runs that did not pass on a busy machine,
 * are run in a second, calmer round, and then bursts alone in a third. The last result counts.
 * @param names of scenarios
 * @returns the results by client id
 */
export async function runGauntlets(
  chosen: readonly Client[],
  names: readonly string[],
  say: (line: string) => void,
): Promise<Map<string, GauntletCells>> {
  const stations = gauntletScenarios.filter(({ name }) => names.includes(name));
  const jobs: Job[] = chosen.flatMap((client) => stations.map((station) => ({ client, station })));
  const run = async (job: Job) => {
    job.cell = await runStation(job);
  };
  const round = (of: readonly Job[], count: number, title: string) =>
    inParallel(of, run, {
      concurrency: count,
      onDone: (done) => done % 20 === 0 && say(`gauntlet, ${title}: ${done} of ${of.length}`),
    });
  await round(
    jobs.filter(({ station }) => station.callers === 1),
    lanes.waiting,
    'first round',
  );
  await round(
    jobs.filter(({ cell }) => cell?.outcome !== 'pass'),
    lanes.calm,
    'second round',
  );
  // Processes that start slowly, of a shell for example, are no burst: some start during the wait of the others.
  await round(
    jobs.filter(({ station, cell }) => station.callers > 1 && cell?.outcome !== 'pass'),
    1,
    'third round',
  );
  return new Map(chosen.map(({ id }) => [id, cellsOf(jobs.filter(({ client }) => client.id === id))]));
}

async function runStation({ client, station }: Job): Promise<GauntletCell> {
  const command = commandOf(client, 'setRight');
  return judged((await runClient(command, resolveForClient(station.scenario), { output: 'keep', timeoutMs })).verdict);
}

function cellsOf(jobs: readonly Job[]): GauntletCells {
  const isPassed = ({ cell }: Job) => cell?.outcome === 'pass';
  return {
    passed: jobs.filter(isPassed).map(({ station }) => station.name),
    others: Object.fromEntries(
      jobs.flatMap((job) => (job.cell === undefined || isPassed(job) ? [] : [[job.station.name, job.cell]])),
    ),
  };
}

/** Merges later results into earlier ones, in the order of the scenarios. */
export function mergeGauntlet(before: GauntletCells = { passed: [], others: {} }, later: GauntletCells): GauntletCells {
  const isAnew = (name: string) => later.passed.includes(name) || Object.hasOwn(later.others, name);
  const passed = [...before.passed.filter((name) => !isAnew(name)), ...later.passed];
  const others = [...Object.entries(before.others).filter(([name]) => !isAnew(name)), ...Object.entries(later.others)];
  return {
    passed: gauntletScenarios.map(({ name }) => name).filter((name) => passed.includes(name)),
    others: Object.fromEntries(others.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}
