// @module-tag extended
import { beforeAll, describe, expect, test } from 'vitest';
import { resolveForClient, runClient } from '../../src/cli/client-run.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { findMissing, programs } from '../support/programs.js';
import { type Client, clients, type Setting, settingsOf } from './clients.js';
import { commandOf } from './languages.js';
import { judged, readResults } from './results.js';
import { openCell } from './run-in-process.js';
import { scenarioOfTrial, type TrialId, trialIds, trials } from './trials.js';

const { clients: results } = readResults();

/** Trials that add nothing about the judge, and take most of a minute. */
const long: readonly TrialId[] = ['clamped', 'jitter'];
const shortTrials = trialIds.filter((id) => !long.includes(id));

interface Run {
  client: Client;
  setting: Setting;
  trial: TrialId;
  judged?: Verdict;
}

const tested = clients.filter(({ isTested }) => isTested);
const missing = await findMissing();
const needsOf = ({ debian = '' }: Client) =>
  Object.keys(programs).filter((name) => programs[name]?.debian.includes(debian));
const runs: Run[] = tested.flatMap((client) =>
  settingsOf(client).flatMap((setting) => shortTrials.map((trial) => ({ client, setting, trial }))),
);

const expected = ({ client, setting, trial }: Run) => {
  const cell = results[client.id]?.[setting]?.[trial];
  return { outcome: cell?.outcome, codes: cell?.codes };
};

/** Side by side, so it takes as long as the longest; a second for each trial to begin. */
async function runAll(chosen: readonly Run[]): Promise<void> {
  const open = await Promise.all(chosen.map(async (run) => ({ run, start: await openRun(run) })));
  const soonMs = Math.ceil(Date.now() / 1000) * 1000 + 100;
  await Promise.all(
    open.map(async ({ run, start }) => {
      run.judged = await start(soonMs + shortTrials.indexOf(run.trial) * 1_000);
    }),
  );
}

async function openRun({ client, setting, trial }: Run): Promise<(startAtMs: number) => Promise<Verdict>> {
  if (client.language === 'Node') return openCell(client, setting, trial);
  const scenario = await resolveForClient(await scenarioOfTrial(trial));
  const options = { output: 'keep', timeoutMs: trials[trial].watchMs } as const;
  return async () => (await runClient(commandOf(client, setting), scenario, options)).verdict;
}

const isOtherwise = (run: Run) =>
  run.judged !== undefined && JSON.stringify(judged(run.judged)) !== JSON.stringify(expected(run));

beforeAll(async () => {
  await runAll(runs.filter(({ client }) => !needsOf(client).some((name) => missing.includes(name))));
  // A busy machine delays real clients by seconds. A real error of the judge repeats.
  for (let again = 1; again <= 2 && runs.some(isOtherwise); again++) await runAll(runs.filter(isOtherwise));
}, 180_000);

for (const client of tested) {
  const tags = needsOf(client).map((name) => `needs/${name}`);
  describe.each(settingsOf(client))(`${client.name}, %s`, { tags }, (setting) => {
    const own = runs.filter((run) => run.client === client && run.setting === setting);
    test.each(own.map((run) => [trials[run.trial].title, run] as const))('%s', (_title, run) => {
      expect(judged(run.judged as Verdict), JSON.stringify(run.judged, undefined, 2)).toEqual(expected(run));
    });
  });
}
