import { timeLeft } from '../rate-limits/served-again.js';
import { getOrCreate } from '../values/get-or-create.js';
import { type JudgedRequest, KnownRequest } from './judged-request.js';
import { refusalBefore } from './rules/early-retry.js';
import { isEarly, type RefusalEpisode, type Run } from './run.js';
import { formatRequestIds } from './select-findings.js';

/**
 * Consequence of a client's early requests for its API key. The last refusal before them is what the service would have
 * done without them, so no other run is needed. The requests of a recording by another program have no times here,
 * because only the simulator knows when it serves a key again.
 */
export interface Cost {
  /** API key; absent for requests without one. */
  key?: string;
  /** Ids of the refused requests with the key from the first early one on. */
  requests: number[];
  /** Number of all refused requests of this episode. */
  refused: number;
  /** Time of the refusal before the early requests, ISO 8601. */
  refusedAt?: string;
  /** Time from which the key would have been served again without the early requests. */
  firstPromiseAt?: string;
  /** Time from which the key is served again. */
  servedAgainAt?: string;
  /** Time from `firstPromiseAt` to `servedAgainAt`. */
  laterMs?: number;
}

/** Minimum difference of two promises that counts, since waits are rounded up to whole seconds. */
const minimumLaterMs = 1_000;

/** Computes what early requests cost each key. Empty where the journal does not prove it. */
export function costsOf(run: Run): Cost[] {
  const ends = new Map<string | undefined, ServiceEnd>();
  return run.episodes.flatMap((episode) => {
    const at = episode.refusals.findIndex((request) => {
      const asked = refusalBefore(request);
      return asked !== undefined && isEarly(asked, request);
    });
    if (at < 1) return [];
    const { token } = episode.refusals[at] as JudgedRequest;
    const requests = episode.refusals.slice(at).map(({ id }) => id);
    const shown = { ...(token && { key: token }), requests, refused: episode.refusals.length };
    if (!isKnown(episode)) return run.gaps === undefined ? [shown] : [];
    const times = promisesIn(episode, at, run, ends);
    return times === undefined ? [] : [{ ...shown, ...times }];
  });
}

const isKnown = (episode: RefusalEpisode): episode is RefusalEpisode<KnownRequest> =>
  episode.refusals[0] instanceof KnownRequest;

/**
 * Returns the promises before the early requests and now; `undefined` if they are equal, or if something else than the
 * requests may have moved them.
 * @param at index of the first early request
 */
function promisesIn(
  { requests, refusals }: RefusalEpisode<KnownRequest>,
  at: number,
  run: Run,
  ends: Map<string | undefined, ServiceEnd>,
) {
  const counted = refusals.slice(at - 1);
  const [before, first] = counted as [KnownRequest, KnownRequest];
  const last = counted.at(-1) as KnownRequest;
  const fromMs = before.known.promisedAtMs ?? Number.NaN;
  const toMs = last.known.promisedAtMs ?? Number.NaN;
  const isOthersWork = counted.some(({ known }) => known.fault !== undefined || known.refusedBy !== undefined);
  const end = requests.at(-1) as KnownRequest;
  const isChanged =
    (run.changedAfter ?? []).some((id) => id >= before.id) || (!end.isRefused && end.arrivedAtMs < toMs);
  const isGap = run.dropped > 0 || run.gaps !== undefined || run.isCut === true;
  // Written so that an unknown time is silent.
  if (!(first.arrivedAtMs < fromMs && toMs - fromMs >= minimumLaterMs)) return undefined;
  if (isOthersWork || isChanged || isGap || isUnserved(run, before, toMs, ends)) return undefined;
  return {
    refusedAt: new Date(before.answeredAtMs).toISOString(),
    firstPromiseAt: new Date(fromMs).toISOString(),
    servedAgainAt: new Date(toMs).toISOString(),
    laterMs: toMs - fromMs,
  };
}

/** Latest signs that a key's promises ended: the id of its last 401, and how often the clock had been set back. */
interface ServiceEnd {
  lastDeniedId: number;
  clockSetBacks: number;
}

/**
 * Whether the key expired or got a 401 after a refusal and before a time, or its clock was set back.
 * @param ends filled at the first use, because a run may have thousands of episodes
 */
function isUnserved(
  { requests, expiresAtMs }: Run,
  { id, token, session }: KnownRequest,
  untilMs: number,
  ends: Map<string | undefined, ServiceEnd>,
): boolean {
  if ((expiresAtMs?.(token) ?? Number.POSITIVE_INFINITY) <= untilMs) return true;
  if (ends.size === 0)
    for (const request of requests) {
      const end = getOrCreate(ends, request.token, () => ({ lastDeniedId: 0, clockSetBacks: 0 }));
      end.clockSetBacks = Math.max(end.clockSetBacks, request.session.clockSetBacks);
      if (request.status === 401) end.lastDeniedId = Math.max(end.lastDeniedId, request.id);
    }
  const end = ends.get(token);
  return end !== undefined && (end.clockSetBacks > session.clockSetBacks || end.lastDeniedId > id);
}

/** Describes the cost of early requests in one sentence. @param name name of the key in the report */
export function describeCost(cost: Cost, name: string): string {
  const { requests, refused, refusedAt, firstPromiseAt, servedAgainAt } = cost;
  if (refusedAt === undefined || firstPromiseAt === undefined || servedAgainAt === undefined)
    return `${requests.length} of the ${refused} refused requests of ${name} came within the named wait.`;
  const after = (time: string) => timeLeft(Date.parse(time), Date.parse(refusedAt));
  return `Without ${formatRequestIds(cost)}, ${name} would be served again after ${after(firstPromiseAt)}; now it is after ${after(servedAgainAt)}.`;
}

/** Selects the largest cost of each key, for reports. */
export function worstCosts(costs: readonly Cost[] = []): Cost[] {
  const worst = new Map<string | undefined, Cost>();
  for (const cost of costs) if ((cost.laterMs ?? 0) >= (worst.get(cost.key)?.laterMs ?? 0)) worst.set(cost.key, cost);
  return [...worst.values()];
}

/** Selects the costs that a report describes: those of at most three keys. */
export const shownCosts = (costs: readonly Cost[] | undefined): Cost[] => worstCosts(costs).slice(0, 3);
