import { counted } from '../values/counted.js';
import { groupBy } from '../values/group-by.js';
import { type JudgedRequest, toleranceMs } from './judged-request.js';
import { isServed } from './request-kind.js';

/** What a scenario needs of a client so that it is met: its field `client`. */
export interface ClientNeeds {
  /** The API key. */
  readonly key?: string | undefined;
  readonly operation?: string | undefined;
  /** How many calls; another try of one is no further call. */
  readonly calls?: number | undefined;
  /** How many of them side by side. Default 1. */
  readonly parallel?: number | undefined;
}

const targets: Record<string, string> = {
  listPets: 'a GET /pets',
  createPet: 'a POST /pets',
  getPet: 'a GET /pets/{petId}',
};

/** What the requests left out of what the scenario needs; `undefined` when they met it, or nobody can tell. */
export function unmetNeed(
  requests: readonly JudgedRequest[],
  { key, operation, calls = 1, parallel = 1 }: ClientNeeds,
): string | undefined {
  if (requests.length === 0) return undefined;
  const withKey = key === undefined ? requests : requests.filter(({ token }) => token === key);
  if (withKey.length === 0) return 'the API key that it hands out';
  const wanted = operation === undefined ? withKey : withKey.filter((request) => request.operation === operation);
  if (operation !== undefined && wanted.length === 0) return targets[operation] ?? `a request for ${operation}`;
  if (calls === 1) return undefined;
  const made = callsIn(wanted);
  // A client that was refused, or got no answer, may have had its reason to stop.
  if ((wanted.length < calls || made === 1) && wanted.slice(-1).some(isServed)) {
    return `${counted(calls, 'call')}, and got ${made}`;
  }
  const beside = Math.min(calls, parallel);
  if (isOneAfterAnother(wanted, beside)) return `${counted(beside, 'call')} side by side, and got one after another`;
  return undefined;
}

/**
 * How many calls these are at least: equal requests without a name are as many as were answered, and writes as many as may
 * have stored something.
 */
const callsIn = (requests: readonly JudgedRequest[]) =>
  [...groupBy(requests, ({ fingerprint }) => fingerprint).values()].reduce((sum, tries) => {
    const isOwn = (each: JudgedRequest) => isServed(each) || (each.isWrite && !each.isRefused);
    return sum + Math.max(1, tries[0]?.call === undefined ? tries.filter(isOwn).length : 1);
  }, 0);

/**
 * Whether the client is sure to have sent its requests one by one: each after the answer before it, and after the wait that
 * this asked for, though it had fewer calls behind it at the first wait than are to run side by side.
 */
function isOneAfterAnother(requests: readonly JudgedRequest[], beside: number): boolean {
  const firstWait = requests.findIndex((each, at) => each.deadlineMs !== undefined && at < requests.length - 1);
  return (
    firstWait >= 0 &&
    firstWait + 1 < beside &&
    requests.every((request, at) => at === 0 || isAfter(requests[at - 1] as JudgedRequest, request))
  );
}

const isAfter = (before: JudgedRequest, { id, arrivedAtMs }: JudgedRequest) =>
  id > before.lastArrivedId && arrivedAtMs >= (before.deadlineMs ?? before.answeredAtMs) - toleranceMs;
