import type { OperationName } from '../contract/document.js';
import { counted } from '../values/counted.js';
import type { JudgedRequest } from './judged-request.js';

/** What a scenario needs of a client so that it is met: its field `client`. */
export interface ClientNeeds {
  /** The API key. */
  readonly key?: string | undefined;
  readonly operation?: OperationName | undefined;
  /** How many calls; another try of one is no further call. */
  readonly calls?: number | undefined;
  /** How many of them side by side. Default 1. */
  readonly parallel?: number | undefined;
}

const targets: Record<OperationName, string> = {
  listPets: 'a GET /pets',
  createPet: 'a POST /pets',
  getPet: 'a GET /pets/{petId}',
};

/** What the requests left out of what the scenario needs; `undefined` when they met it, or nobody can tell. */
export function unmetNeed(
  requests: readonly JudgedRequest[],
  { key, operation, calls = 1 }: ClientNeeds,
): string | undefined {
  if (requests.length === 0) return undefined;
  const withKey = key === undefined ? requests : requests.filter(({ token }) => token === key);
  if (withKey.length === 0) return 'the API key that it hands out';
  const wanted = operation === undefined ? withKey : withKey.filter((request) => request.operation === operation);
  if (operation !== undefined && wanted.length === 0) return targets[operation];
  // A client that was refused, or got no answer, may have had its reason to stop.
  const last = wanted.at(-1);
  const hadReason =
    last === undefined || last.isRefused || last.isUnreadable || last.status === 0 || last.status >= 400;
  return wanted.length < calls && !hadReason ? `${counted(calls, 'call')}, and got ${wanted.length}` : undefined;
}
