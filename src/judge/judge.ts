import type { RequestRecord } from '../requests/request-record.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { runToEnd, type Steps } from '../values/steps.js';
import type { Verdict } from './judge-run.js';
import { RunJudge, type RunProgress } from './run-judge.js';

export interface JudgeOptions extends Pick<RunProgress, 'isOver' | 'end'> {
  /** Judges only the requests of one API key, given in full or by its last four characters. */
  key?: string | undefined;
}

/**
 * Judges a simulator's client since the start, the last reset or the last clearing of the journal.
 * @param options.isOver whether the client has ended and will send no further requests; default `false`
 * @param options.end end of the client's process, if known
 * @param options.key judges only the requests of one API key
 * @example expect(judge(sim, { isOver: true }).outcome).toBe('pass');
 */
export const judge = (sim: Simulator, { key, ...progress }: JudgeOptions = {}): Verdict =>
  judgeEntries(sim, key === undefined ? undefined : ({ token }) => token === key || token?.slice(-4) === key, progress);

type IsJudged = (request: Pick<RequestRecord, 'token'>) => boolean;
/** Options for judging entries. `outages` are those that the journal does not have. */
type EntriesOptions = Pick<RunProgress, 'isOver' | 'end' | 'outages'>;

/**
 * Judges entries of a simulator's journal.
 * @param isJudged selects the entries of a key; `undefined` selects all
 */
export const judgeEntries = (sim: Simulator, isJudged: IsJudged | undefined, progress: EntriesOptions = {}): Verdict =>
  runToEnd(judgeInSteps(sim, isJudged, progress));

/** Judges entries in steps. The first verdict of a process on 10,000 entries takes 150 ms. */
export function* judgeInSteps(
  sim: Simulator,
  isJudged: IsJudged | undefined,
  { outages: unrecordedOutages = [], ...progress }: EntriesOptions = {},
): Steps<Verdict> {
  const { name, settings, clock } = sim;
  const { journal, resolved } = coreOf(sim).state;
  const { scenario } = resolved;
  const { key: _, ...others } = scenario.client ?? {};
  const runJudge = new RunJudge({
    scenario: name,
    expect: scenario.expect,
    // The caller of `judge` has selected a key, so the client need not use the scenario's key.
    needs: isJudged === undefined ? scenario.client : scenario.client && others,
    areHeadersHidden: settings.cors === 'hidden',
  });
  for (const entry of isJudged === undefined ? journal.query() : journal.filter(isJudged)) runJudge.add(entry);
  for (const outcome of journal.outcomes) runJudge.report(outcome);
  const { dropped, outages, unrecorded, pending } = journal;
  return yield* runJudge.verdictInSteps({
    nowMs: clock.now(),
    dropped,
    outages: unrecordedOutages.length > 0 ? [...outages, ...unrecordedOutages] : outages,
    unrecorded: unrecorded.count === 0 ? undefined : unrecorded.list(isJudged),
    pending,
    idle: idleIn(sim),
    ...progress,
  });
}

/** Sentence about a part of the scenario that affected no request; `undefined` without one. */
function idleIn({ settings, faults }: Simulator): string | undefined {
  const [idle] = faults.list().filter(({ applied }) => applied === 0);
  if (idle !== undefined) {
    const effect = idle.seen === 0 ? 'matched no request' : 'applied to no request';
    return `The fault rule ${JSON.stringify(idle.name)} ${effect}.`;
  }
  return settings.limitsApply === 'none' ? 'The limits are off.' : undefined;
}
