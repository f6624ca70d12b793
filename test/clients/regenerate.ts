import { readFileSync } from 'node:fs';
import { inParallel } from '../../src/cli/in-parallel.js';
import { type Client, clients, type Setting, settingsOf } from './clients.js';
import { gauntletScenarios, mergeGauntlet, runGauntlets } from './gauntlet.js';
import { commandOf, debianVersion, languageVersion, prepare, programs, root } from './languages.js';
import { readRun } from './reading.js';
import { type Cell, judged, type Results, readResults, runOf, writeResults } from './results.js';
import { runProgram } from './run-program.js';
import { type TrialId, trialIds, trials } from './trials.js';

/** Clients mostly wait, so the number of concurrent runs exceeds the number of processors. */
const lanes = 18;

const settings: readonly Setting[] = ['byDefault', 'setRight'];

interface Job {
  client: Client;
  setting: Setting;
  trial: TrialId;
}

/** Selection by words: the named members of each kind, or all; only trials or gauntlet if nothing more is named. */
interface Choice {
  chosen: readonly Client[];
  jobs: readonly Job[];
  /** Scenarios of the gauntlet. */
  stations: readonly string[];
}

/**
 * Runs every client in every trial, as it comes and set right, and through the gauntlet, set right; writes results.json.
 * @param words ids of clients or trials, a setting, `gauntlet` or `gauntlet/SCENARIO`, to run these alone and keep the
 * results of the others; none: all
 */
export async function regenerate(words: readonly string[], say: (line: string) => void): Promise<void> {
  const { chosen, jobs, stations } = choose(words);
  prepare(chosen);
  process.setMaxListeners(0);
  const onDone = (done: number) => {
    if (done % 20 === 0) say(`${done} of ${jobs.length}`);
  };
  const runs = (await inParallel(jobs, runCell, { onDone, concurrency: lanes })).flatMap((run) => run ?? []);
  const gauntlets = await runGauntlets(
    chosen.filter(({ isLoop }) => !isLoop),
    stations,
    say,
  );
  const before = words.length > 0 ? readResults() : { versions: {}, clients: {} };
  const results: Results = { versions: { ...before.versions, ...versionsOf(chosen) }, clients: {} };
  for (const { id } of clients) if (before.clients[id]) results.clients[id] = before.clients[id];
  for (const client of chosen)
    results.clients[client.id] = { ...results.clients[client.id], version: versionOf(client) };
  for (const [index, { client, setting, trial }] of jobs.entries()) {
    const entry = results.clients[client.id];
    const run = runs[index];
    if (entry === undefined || run === undefined) continue;
    entry.userAgent = run.userAgent;
    entry[setting] = inOrder({ ...entry[setting], [trial]: run.cell });
  }
  for (const [id, later] of gauntlets) {
    const entry = results.clients[id];
    if (entry !== undefined) entry.gauntlet = mergeGauntlet(entry.gauntlet, later);
  }
  writeResults(results);
}

/** @throws {Error} for an unknown word */
function choose(words: readonly string[]): Choice {
  const places = gauntletScenarios.map(({ name }) => `gauntlet/${name}`);
  const ofTrials: string[] = [...trialIds, ...settings];
  const known = [...clients.map(({ id }) => id), ...ofTrials, 'gauntlet', ...places];
  const unknown = words.filter((word) => !known.includes(word));
  if (unknown.length > 0)
    throw new Error(
      `expected ids of clients or trials, a setting, or the gauntlet, got ${unknown.join(', ')}; there are ${known.join(', ')}`,
    );
  const among = <Id extends string>(ids: readonly Id[]) => {
    const named = ids.filter((id) => words.includes(id));
    return named.length > 0 ? named : ids;
  };
  const ids = among(clients.map(({ id }) => id));
  const chosen = clients.filter(({ id }) => ids.includes(id));
  const hasTrials = words.some((word) => ofTrials.includes(word));
  const hasGauntlet = words.some((word) => word === 'gauntlet' || places.includes(word));
  const jobs = chosen
    .flatMap((client) =>
      settingsOf(client)
        .filter((setting) => among(settings).includes(setting))
        .flatMap((setting) => among(trialIds).map((trial) => ({ client, setting, trial }))),
    )
    .sort((a, b) => trials[b.trial].watchMs - trials[a.trial].watchMs);
  return {
    chosen,
    jobs: hasTrials || !hasGauntlet ? jobs : [],
    stations: hasGauntlet || !hasTrials ? among(places).map((place) => place.slice('gauntlet/'.length)) : [],
  };
}

const versionsOf = (chosen: readonly Client[]) =>
  Object.fromEntries(chosen.map(({ language }) => [language, languageVersion(language)]));

const inOrder = (cells: Partial<Record<TrialId, Cell>>) =>
  Object.fromEntries(trialIds.filter((id) => cells[id] !== undefined).map((id) => [id, cells[id]]));

/** Runs a client in a trial. Returns its User-Agent without the name of this machine's system; empty if it sends none. */
async function runCell({ client, setting, trial }: Job): Promise<{ cell: Cell; userAgent: string }> {
  const { verdict, entries, end, output } = await runProgram(commandOf(client, setting), trial);
  const [first] = entries;
  if (first === undefined)
    throw new Error(`Failed to run ${client.id} ${setting}: expected a request, got none, and\n${output}`);
  const found = judged(verdict);
  const { reading, why } = readRun(entries, end, trials[trial]);
  const expected = { pass: 'right', fail: 'wrong', inconclusive: 'unknown' }[found.outcome];
  const cell = { ...found, run: runOf(entries), end, ...(reading !== expected && { otherwise: `${reading}: ${why}` }) };
  return { cell, userAgent: (first.client ?? '').replace(/ \(linux[^)]*\)/i, '') };
}

function versionOf({ id, npm, debian, language }: Client): string {
  if (debian !== undefined) return debianVersion(debian);
  if (npm === undefined) return '';
  for (const folder of [`${programs}node/`, root]) {
    try {
      return JSON.parse(readFileSync(`${folder}node_modules/${npm}/package.json`, 'utf8')).version;
    } catch {
      // The other folder has it.
    }
  }
  throw new Error(`Failed to find the version of ${id} (${language}): expected ${npm} among the packages`);
}
