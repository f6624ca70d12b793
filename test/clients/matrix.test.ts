// @module-tag extended
import { beforeAll, describe, expect, test } from 'vitest';
import { inParallel } from '../../src/cli/in-parallel.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { findMissing, programs } from '../support/programs.js';
import { type Client, clients, type Setting, settingsOf } from './clients.js';
import { commandOf } from './languages.js';
import { judged, readResults } from './results.js';
import { runCells } from './run-in-process.js';
import { runProgram } from './run-program.js';
import { type TrialId, trialIds, trials } from './trials.js';

const { clients: results } = readResults();

/** Trials that take most of a minute in real time, and add nothing about the judge. */
const long: readonly TrialId[] = ['clamped', 'jitter'];
const trialsOf = ({ language }: Client) =>
  language === 'Node' ? trialIds : trialIds.filter((id) => !long.includes(id));

/** Number of programs that run concurrently: too many would make each other late. */
const lanes = 6;

interface Run {
  client: Client;
  setting: Setting;
  trial: TrialId;
  judged?: Verdict | undefined;
}

const tested = clients.filter(({ isTested }) => isTested);
const missing = await findMissing();
const needsOf = ({ debian = '' }: Client) =>
  Object.keys(programs).filter((name) => programs[name]?.debian.includes(debian));
const runs: Run[] = tested.flatMap((client) =>
  settingsOf(client).flatMap((setting) => trialsOf(client).map((trial) => ({ client, setting, trial }))),
);

const expected = ({ client, setting, trial }: Run) => {
  const cell = results[client.id]?.[setting]?.[trial];
  return { outcome: cell?.outcome, codes: cell?.codes };
};

beforeAll(async () => {
  const [inNode, others] = [true, false].map((isNode) =>
    runs.filter(({ client }) => (client.language === 'Node') === isNode),
  ) as [Run[], Run[]];
  const verdicts = await runCells(inNode.map(({ client, setting, trial }) => [client, setting, trial]));
  for (const [index, run] of inNode.entries()) run.judged = verdicts[index];
  // These programs wait in real time, because a test cannot replace the clock of another language. So a machine that
  // delays a program by about a second would change the result.
  const installed = others.filter(({ client }) => !needsOf(client).some((name) => missing.includes(name)));
  const runOther = async (run: Run) => {
    run.judged = (await runProgram(commandOf(run.client, run.setting), run.trial)).verdict;
  };
  await inParallel(installed, runOther, { onDone() {}, concurrency: lanes });
}, 300_000);

for (const client of tested) {
  const tags = needsOf(client).map((name) => `needs/${name}`);
  describe.each(settingsOf(client))(`${client.name}, %s`, { tags }, (setting) => {
    const own = runs.filter((run) => run.client === client && run.setting === setting);
    test.each(own.map((run) => [trials[run.trial].title, run] as const))('%s', (_title, run) => {
      expect(judged(run.judged as Verdict), JSON.stringify(run.judged, undefined, 2)).toEqual(expected(run));
    });
  });
}
