import type { Simulator } from '../simulator/simulator.js';
import type { RequestRecord } from '../state/request-record.js';
import { inOneGo, type Steps } from '../values/steps.js';
import type { Verdict } from './judge-run.js';
import { RunJudge, type RunProgress } from './run-judge.js';

export interface JudgeOptions extends Pick<RunProgress, 'isOver' | 'end'> {
  /** Judges the requests of one API key alone: the key whole, or its last four characters. */
  key?: string | undefined;
}

/**
 * How the client of a simulator behaved since the start, the last reset or the last clearing of the journal.
 * @param options.isOver whether the client has ended, so that what it has not done yet it never does; default `false`
 * @param options.end how its process ended, where somebody waited for it
 * @param options.key judges the requests of one API key alone
 * @example expect(judge(sim, { isOver: true }).outcome).toBe('pass');
 */
export const judge = (sim: Simulator, { key, ...progress }: JudgeOptions = {}): Verdict =>
  judgeEntries(sim, sim.journal.query({ key }), { ...progress, isOneKey: key !== undefined });

type EntriesOptions = Pick<RunProgress, 'isOver' | 'end'> & { isOneKey: boolean };

/** Judges some entries of a simulator's journal, such as those of one key. */
export const judgeEntries = (sim: Simulator, entries: readonly RequestRecord[], options: EntriesOptions): Verdict =>
  inOneGo(judgeInSteps(sim, entries, options));

/** The same in steps: of 10,000 entries the first verdict of a process takes 150 ms. */
export function judgeInSteps(
  { name, scenario, settings, clock, journal }: Simulator,
  entries: readonly RequestRecord[],
  { isOneKey, ...progress }: EntriesOptions,
): Steps<Verdict> {
  const { key: _, ...others } = scenario.client ?? {};
  const runJudge = new RunJudge({
    scenario: name,
    expect: scenario.expect,
    // Which key is to be judged somebody has said.
    needs: isOneKey ? others : scenario.client,
    areHeadersHidden: settings.cors === 'hidden',
  });
  for (const entry of entries) runJudge.add(entry);
  for (const outcome of journal.outcomes) runJudge.report(outcome);
  const { dropped, outages, pending } = journal;
  return runJudge.verdictInSteps({ nowMs: clock.now(), dropped, outages, pending, ...progress });
}
