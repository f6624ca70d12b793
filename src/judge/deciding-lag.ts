import { type PlanLimits, shortestWindow } from '../rate-limits/plan-limits.js';
import type { RequestRecord } from '../requests/request-record.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { lowest } from '../values/extremes.js';
import { latestMs } from '../values/instant.js';
import { seededFraction } from '../values/seeded-random.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { createOtherJudge, type EntriesOptions, type IsJudged, judgedEntries } from './judge.js';
import type { Verdict } from './judge-run.js';
import { toleranceMs } from './judged-request.js';
import { earliestRetryMs } from './promises.js';
import { rules } from './rules.js';

/** Delays of the machine while a client ran. */
export interface MachineLag {
  /** Maximum lateness of this process's timers during the run. */
  timerMs: number;
  /** Time from the start of the client's command to its first request; 0 without a command. */
  startMs: number;
}

/** A judged run, and how the judge decides about other times of the same requests. */
export interface LaggedRun {
  /** Judged journal records, in order of arrival. */
  entries: readonly RequestRecord[];
  verdict: Verdict;
  judge: (entries: readonly RequestRecord[]) => Steps<Verdict>;
  /** Length of the shortest rate-limit window. */
  windowMs: number;
  /** Periods that begin before the client's first request, such as the time limit of the run. */
  periodsMs: readonly number[];
}

/**
 * Adds to the verdict on a simulator's client the lag of the machine that could have changed the outcome. No lag decides
 * where the clock is frozen, or was moved since the client's first request.
 * @param limitMs time limit that stopped the client; `undefined` if the client ended by itself
 */
export const markLag = (
  sim: Simulator,
  verdict: Verdict,
  progress: EntriesOptions,
  lag: MachineLag,
  limitMs?: number,
): Verdict => runToEnd(markLagInSteps(sim, verdict, undefined, progress, lag, limitMs));

/**
 * Marks a verdict like `markLag`, in steps, so that judging other times of many records does not block the server.
 * @param isJudged selects the judged records by their API key; `undefined` selects all
 */
export function* markLagInSteps(
  sim: Simulator,
  verdict: Verdict,
  isJudged: IsJudged | undefined,
  progress: EntriesOptions,
  { timerMs, startMs }: MachineLag,
  limitMs?: number,
): Steps<Verdict> {
  const { resolved, clock: simulated } = coreOf(sim).state;
  const { clock, plans, windowSeconds, faults } = resolved;
  const entries = judgedEntries(sim, isJudged);
  const { frozen, anchorMs } = simulated.anchor;
  if (frozen || clock.mode === 'frozen' || entries.some(({ arrivedAtMs }) => arrivedAtMs < anchorMs)) return verdict;
  const ofFaults = faults.flatMap(({ when }) => [when.after, when.for].filter((ms) => ms !== undefined));
  const speed = clock.speed ?? 1;
  const limits = plans[entries[0]?.plan ?? ''] ?? (Object.values(plans)[0] as PlanLimits);
  const run = {
    entries,
    verdict,
    judge: createOtherJudge(sim, isJudged, progress),
    windowMs: (windowSeconds[shortestWindow(limits, windowSeconds)] as number) * 1_000,
    periodsMs: [...ofFaults.filter((ms) => ms > 0), ...(limitMs === undefined ? [] : [limitMs * speed])],
  };
  const lagMs = yield* decidingLagMs(run, { timerMs: timerMs * speed, startMs: startMs * speed });
  return lagMs === undefined ? verdict : { ...verdict, lagMs };
}

/**
 * Minimum share of a client's wait that a lag must have to be the reason why the wait was long enough. With a smaller
 * share, a client that is right after the wait almost always waited on purpose.
 */
const noticeableShare = 0.05;
/** Minimum share of a period that a client's start must have to be the reason why the client did no more in it. */
const startShare = 0.2;
/** Number of random distributions of the lag over the client's waits that are tried. */
const randomTries = 16;
/** Maximum number of journal records for which all distributions are tried, to bound the time for judging. */
const fewEntries = 1_000;

/**
 * Returns the lag that could have changed the outcome of a run; `undefined` if the outcome does not depend on it. A
 * failure depends on the lag if the client does not fail once its waits are shorter or longer by at most the lag. A
 * pass does if the client fails once its waits are shorter, or if it met no rejection because the lag used up a window.
 */
export function* decidingLagMs(run: LaggedRun, { timerMs, startMs }: MachineLag): Steps<number | undefined> {
  if (timerMs <= toleranceMs) return undefined;
  const { entries, verdict, judge, windowMs, periodsMs } = run;
  if (verdict.outcome !== 'fail') {
    if (periodsMs.some((ms) => startMs >= startShare * ms)) return Math.max(timerMs, startMs);
    if (isWindowUsedUp(entries, verdict, windowMs, timerMs)) return timerMs;
  }
  const isChanged =
    verdict.outcome === 'fail'
      ? (other: Verdict) => other.outcome !== 'fail' || isOnlyConsequence(verdict, other)
      : (other: Verdict) => other.outcome === 'fail' || (isEarly(other) && !isEarly(verdict));
  for (const changed of otherTimes(entries, timerMs, verdict.outcome === 'fail'))
    if (isChanged(yield* judge(changed))) return timerMs;
  return undefined;
}

/** Whether a verdict blames the client for an early request. It only warns if the service answered that request. */
const isEarly = ({ findings }: Verdict) => findings.some(({ code }) => code === 'early-retry');

/** Whether a changed verdict lacks the early retry of the first verdict, and fails only by what followed from it. */
const isOnlyConsequence = (verdict: Verdict, other: Verdict) =>
  isEarly(verdict) &&
  !isEarly(other) &&
  other.findings.every(({ code, severity }) => severity !== 'fail' || rules[code].isConsequence);

/**
 * Whether the client met no rejection although it sent more requests than a window allows, because the window ended
 * meanwhile, and would not have ended without the lag before each request.
 */
function isWindowUsedUp(
  entries: readonly RequestRecord[],
  { counts }: Verdict,
  windowMs: number,
  lagMs: number,
): boolean {
  const [first] = entries;
  const last = entries.at(-1);
  if (counts.refused > 0 || first?.rate === undefined || last === undefined) return false;
  const spanMs = last.arrivedAtMs - first.arrivedAtMs;
  return (
    entries.length > 1 + first.rate.remaining && spanMs >= windowMs && spanMs - lagMs * (entries.length - 1) < windowMs
  );
}

/**
 * Generates copies of a run's records with the times that its requests could have had without a lag of up to `lagMs`.
 * Each wait of the client is shortened by its own part of the lag.
 * @param isAccused whether long waits are shortened, too, and all waits lengthened: the lag can have delayed responses,
 * and a client that waits from the time of its request was then early
 */
function* otherTimes(
  entries: readonly RequestRecord[],
  lagMs: number,
  isAccused: boolean,
): Generator<readonly RequestRecord[]> {
  const waits = waitsIn(entries, lagMs, isAccused);
  const shortened = (shareOf: (index: number) => number) =>
    moved(
      entries,
      waits.map(({ mostMs }, index) => mostMs * shareOf(index)),
    );
  if (isAccused) yield lengthened(entries, lagMs);
  const shiftable = waits.flatMap(({ mostMs }, index) => (mostMs > 0 ? [index] : []));
  if (shiftable.length === 0) return;
  yield shortened(() => 1);
  const leastMs = lowest(shiftable.map((index) => (waits[index] as Wait).excessMs));
  yield moved(
    entries,
    waits.map(({ mostMs, excessMs }) => Math.max(0, Math.min(mostMs, excessMs - leastMs))),
  );
  const tries = entries.length > fewEntries ? 1 : randomTries;
  for (const only of shiftable.slice(0, tries)) yield shortened((index) => Number(index === only));
  for (let seed = 0; seed < tries; seed++) yield shortened((index) => Math.round(seededFraction(seed, index)));
}

/** The client's wait before a request. */
interface Wait {
  /** Maximum part of the lag by which the request can have been late. */
  mostMs: number;
  /** Time by which the client waited longer than the previous response requires. */
  excessMs: number;
}

function waitsIn(entries: readonly RequestRecord[], lagMs: number, isAccused: boolean): Wait[] {
  const lastOfKey = new Map<string | undefined, RequestRecord>();
  const freeSinceMs = new Map<number | undefined, number>();
  return entries.map((entry, index) => {
    const { token, connection, arrivedAtMs, finishedAtMs } = entry;
    const before = lastOfKey.get(token);
    // A connection sends one request after the other, so that a request cannot have come before the previous response.
    const earliestMs = Math.max(
      entries[index - 1]?.arrivedAtMs ?? arrivedAtMs,
      connection === undefined ? 0 : (freeSinceMs.get(connection) ?? 0),
    );
    lastOfKey.set(token, entry);
    freeSinceMs.set(connection, finishedAtMs);
    if (before === undefined) return { mostMs: 0, excessMs: 0 };
    const isNoticeable = isAccused || lagMs >= noticeableShare * (arrivedAtMs - before.answeredAtMs);
    return {
      mostMs: isNoticeable ? Math.max(0, Math.min(lagMs, arrivedAtMs - earliestMs)) : 0,
      excessMs: arrivedAtMs - Math.max(before.answeredAtMs, earliestRetryMs(before) ?? 0),
    };
  });
}

/** Copies records with earlier arrivals. A response that the client can then not have received counts as overlapping. */
function moved(entries: readonly RequestRecord[], byMs: readonly number[]): readonly RequestRecord[] {
  const copies = entries.map((entry, index) =>
    byMs[index] === 0 ? entry : { ...entry, arrivedAtMs: entry.arrivedAtMs - (byMs[index] as number) },
  );
  for (const [index, { id, arrivedAtMs }] of copies.entries()) {
    for (let at = index - 1; at >= 0 && (copies[at] as RequestRecord).answeredAtMs > arrivedAtMs; at--) {
      const other = copies[at] as RequestRecord;
      if (other.lastArrivedId < id) copies[at] = { ...other, lastArrivedId: id };
    }
  }
  return copies;
}

/**
 * Copies records with a wait before each request that is longer by the given time, in milliseconds. Concurrent requests,
 * and those of other keys, do not add to each other's waits.
 */
function lengthened(entries: readonly RequestRecord[], byMs: number): readonly RequestRecord[] {
  const chains = new Map<string | undefined, { pending: { answeredAtMs: number; waits: number }[]; waits: number }>();
  return entries.map((entry) => {
    const { token, arrivedAtMs, answeredAtMs, finishedAtMs } = entry;
    const chain = chains.get(token) ?? { pending: [], waits: 0 };
    chains.set(token, chain);
    const isRead = (before: { answeredAtMs: number }) => before.answeredAtMs <= arrivedAtMs;
    for (const before of chain.pending) if (isRead(before)) chain.waits = Math.max(chain.waits, before.waits + 1);
    chain.pending = [...chain.pending.filter((before) => !isRead(before)), { answeredAtMs, waits: chain.waits }];
    const later = (ms: number) => Math.min(latestMs, ms + byMs * chain.waits);
    return {
      ...entry,
      arrivedAtMs: later(arrivedAtMs),
      answeredAtMs: later(answeredAtMs),
      finishedAtMs: later(finishedAtMs),
    };
  });
}
