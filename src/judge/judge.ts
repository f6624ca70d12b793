import { listUnrecorded } from '../journal/unrecorded.js';
import { shortestWindow } from '../rate-limits/plan-limits.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { ControlChange } from '../simulator/control-change.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { judgeRunInSteps, type Verdict } from './judge-run.js';
import { operationFacts, type RunFacts, type RunProgress } from './run.js';

export interface JudgeOptions extends Pick<RunProgress, 'isOver' | 'end'> {
  /** API key, in full or its last four characters. Only requests with this key are judged. */
  key?: string | undefined;
}

/**
 * Judges the client of a simulator, by its requests since the start, the last reset or the last clearing of the
 * journal.
 * @param options.isOver whether the client has ended and will send no further requests; default `false`
 * @param options.end end of the client's process, if known
 * @param options.key judges only requests with this API key
 * @example expect(judge(sim, { isOver: true }).outcome).toBe('pass');
 */
export const judge = (sim: Simulator, { key, ...progress }: JudgeOptions = {}): Verdict =>
  runToEnd(
    judgeInSteps(
      sim,
      key === undefined ? undefined : ({ token }) => token === key || token?.slice(-4) === key,
      progress,
    ),
  );

export type IsJudged = (request: Pick<RequestRecord, 'token'>) => boolean;
export type EntriesOptions = Pick<RunProgress, 'isOver' | 'end'>;

/**
 * Judges the selected journal records in steps, so that judging many records does not block the server.
 * @param isJudged selects records by their API key; `undefined` selects all
 */
export function* judgeInSteps(
  sim: Simulator,
  isJudged: IsJudged | undefined,
  progress: EntriesOptions = {},
): Steps<Verdict> {
  return yield* judgeRunInSteps(judgedEntries(sim, isJudged), factsOf(sim, isJudged, progress));
}

/** Returns the journal records that `isJudged` selects, in order of arrival; all without it. */
export function judgedEntries(sim: Simulator, isJudged: IsJudged | undefined): readonly RequestRecord[] {
  const { journal } = coreOf(sim).state;
  return isJudged === undefined ? journal.query() : journal.filter(isJudged);
}

/**
 * Creates a function that judges a client by changed copies of the journal's records, with all other facts of the
 * simulator's run.
 */
export function createOtherJudge(
  sim: Simulator,
  isJudged: IsJudged | undefined,
  progress: EntriesOptions,
): (entries: readonly RequestRecord[]) => Steps<Verdict> {
  const facts = factsOf(sim, isJudged, progress);
  return (entries) => judgeRunInSteps(entries, facts);
}

/** Returns the facts about a simulator's run that the judge needs besides the requests. */
function factsOf(sim: Simulator, isJudged: IsJudged | undefined, progress: EntriesOptions): RunFacts {
  const { name, settings, clock } = sim;
  const { journal, keys, resolved, services } = coreOf(sim).state;
  const { scenario, plans, windowSeconds } = resolved;
  const { key: _, ...others } = scenario.client ?? {};
  const { outcomes, dropped, unrecorded, pending } = journal;
  return {
    scenario: name,
    expect: scenario.expect,
    // Omits the scenario's required API key if the caller of `judge` selected a key itself.
    needs: isJudged === undefined ? scenario.client : scenario.client && others,
    ...operationFacts(services.map(({ service }) => service)),
    shortestWindows: Object.fromEntries(
      Object.entries(plans).map(([plan, limits]) => [plan, shortestWindow(limits, windowSeconds)]),
    ),
    areHeadersHidden: settings.cors === 'hidden',
    nowMs: clock.now(),
    outcomes,
    dropped,
    unrecorded: unrecorded.total === 0 ? undefined : listUnrecorded(unrecorded, isJudged),
    pending,
    idle: idleIn(sim),
    changedAfter: sim.changes.last.filter(isChangeOfLimits).map(({ lastId }) => lastId),
    expiresAtMs: (token) => (token === undefined ? undefined : keys.get(token)?.expiresAtMs),
    ...progress,
  };
}

/** Control operations that change nothing of a key's limits. A fault's own refusals promise nothing. */
const neutral = /^(?:\w+ \/(?:pets|faults|journal|fault-check)|(?:PUT|DELETE) \/snapshots|POST \/clock)/;

/** Whether a control operation may move the time at which a key is served again. A clock that moves forward does not. */
const isChangeOfLimits = ({ request, beforeMs, atMs }: ControlChange) => !neutral.test(request) || atMs < beforeMs;

/** Describes a part of the scenario that affected no request so far; `undefined` without such a part. */
function idleIn({ settings, faults }: Simulator): string | undefined {
  const [idle] = faults.list().filter(({ applied }) => applied === 0);
  if (idle !== undefined) {
    const effect = idle.seen === 0 ? 'matched no request' : 'applied to no request';
    return `The fault rule ${JSON.stringify(idle.name)} ${effect}.`;
  }
  return settings.limitsApply === 'none' ? 'The limits are off.' : undefined;
}
