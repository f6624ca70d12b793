import { findLowest } from '../../values/find-lowest.js';
import { groupBy, listGroups } from '../../values/group-by.js';
import { requestTarget } from '../../values/request-target.js';
import { finding, type SimulatorRule } from '../finding.js';
import { asksForWrites, isServed, isUnknown, isWrite, type KnownRequest, waitedMs } from '../run.js';
import { nounOf } from '../same-pet.js';

/** Response time that would make an impatient client time out and retry. */
const lateMs = 1_000;

/**
 * Rule: finds pets that a client stored twice, because it repeated a write after a lost response without a check, or
 * even after a received response.
 */
export const duplicateWrite: SimulatorRule = {
  needs: 'simulator',
  restsOn: ['key', 'timings', 'request body'],
  words: 'wrote twice',
  isConclusive: true,
  alwaysFails: true,
  judge(run) {
    const allRequests = run.requests.filter((request) => isWrite(request) && isStored(request));
    const asked = run.needs?.calls ?? (asksForWrites(run) ? 1 : undefined);
    const hasRead = createReadCheck(run.requests);
    const calls = listGroups(allRequests, callOf).flatMap((stored) => callsUnder(stored, hasRead));
    const lost = calls.filter((stored) => stored.some((request) => isLost(request, stored)));
    const repeated = calls.filter((stored) => stored.length > 1 && !isMisled(stored));
    const isMoreThanAsked = asked !== undefined && allRequests.length > asked;
    // Equal pets are no duplicates if the scenario requires the client to create several pets.
    const mayBeWanted = asked !== undefined && !isMoreThanAsked;
    const duplicates = repeated.filter(
      (stored) =>
        (stored[0]?.call !== undefined && (isOnePet(stored) || isMoreThanAsked)) ||
        (stored[0]?.call === undefined && isRepeatedBlindly(stored) && !mayBeWanted),
    );
    const findings = duplicates.map((stored) => {
      const ids = stored.map(({ known }) => known.storedId).join(', ');
      const [first] = stored as [KnownRequest];
      const like = stored.every(({ requestText }) => requestText === first.requestText)
        ? 'with one body'
        : 'for one call';
      const noun = nounOf(first);
      const again = isOnePet(stored)
        ? `the same ${noun} was sent again`
        : `another ${noun} was sent under the same X-Sim-Call`;
      return finding('fail', stored, {
        measured: `${stored.length} ${noun}s stored (${ids})`,
        allowed: `1 ${noun}`,
        text: `${requestTarget(first)} was stored, its response ${howLost(first)}, and ${again}: ${stored.length} ${noun}s ${like}. ${advice(first)}`,
      });
    });
    const isDoubtful =
      (repeated.length > duplicates.length && (isMoreThanAsked || repeated.some(isRepeatedBlindly))) ||
      (findings.length === 0 && !mayBeWanted && lost.length > 0 && isSamePetSentBlindly(allRequests));
    const isOtherPet = isMoreThanAsked && findings.length === 0 && isFollowedBlindly(allRequests, hasRead);
    const nounOfAll = nounOf(allRequests[0] ?? {});
    return {
      exercised: lost.length > 0 || findings.length > 0 || calls.some((stored) => stored.some(isWaitedFor)),
      findings,
      doubt: isDoubtful ? doubtOf(repeated, isMoreThanAsked, nounOfAll) : isOtherPet ? followed(nounOfAll) : undefined,
    };
  },
};

/**
 * Whether the API refused all attempts of a write except the last, but stored each attempt. Such repeated writes are
 * not the client's fault.
 */
const isMisled = (stored: readonly KnownRequest[]) => stored.slice(0, -1).every(({ isRefused }) => isRefused);

const isOnePet = (stored: readonly KnownRequest[]) => stored.every(({ pet }) => pet === stored[0]?.pet);

const doubtOf = (repeated: readonly (readonly KnownRequest[])[], isMoreThanAsked: boolean, noun: string) =>
  (isMoreThanAsked ? tooMany : repeated.every(isOnePet) ? sentAgain : oneName)(noun);

const oneName = (noun: string) =>
  `Several ${noun}s were stored under one X-Sim-Call, each right after a lost response. Use a separate name for each call.`;
const tooMany = (noun: string) =>
  `More equal ${noun}s were added than the scenario asks for. Name the calls in X-Sim-Call to show whether this was one call or several.`;
const sentAgain = (noun: string) =>
  `The same ${noun} was added again after a lost response. Name the calls in X-Sim-Call to show whether this was one call or several.`;

const followed = (noun: string) =>
  `More ${noun}s were added than the scenario asks for, one right after a lost response. Name the calls in X-Sim-Call to show whether this was a retry with a new ${noun}.`;

/** Returns an id that all attempts of a client at one write share. */
const callOf = (request: KnownRequest) => {
  const { client, call, fingerprint } = request;
  return (call === undefined ? [client, fingerprint] : [client, call]).join('\n');
};

/**
 * Divides stored writes with one header `X-Sim-Call` (the client's name for one call) into calls, one for each pet. All
 * writes are one call if a write soon followed a lost response without a read in between.
 */
const callsUnder = (stored: KnownRequest[], hasRead: ReadCheck): KnownRequest[][] =>
  stored.length === 1 || stored[0]?.call === undefined || isOnePet(stored) || hasBlindStep(stored, hasRead)
    ? [stored]
    : listGroups(stored, ({ pet }) => pet);

/** Whether a write soon followed a write with a lost response, and the client did not check by a read in between. */
const hasBlindStep = (stored: readonly KnownRequest[], hasRead: ReadCheck) =>
  stored.some((lost, index) => {
    const next = stored[index + 1];
    return next !== undefined && isUnknown(lost) && waitedMs(lost, next) < soonMs && !hasRead(lost, next);
  });

/** Maximum time between a write and its retry. After a longer time, a write counts as a separate call. */
const soonMs = 60_000;

/**
 * Function that decides whether a client made a successful read between two of its writes. By the read, the client may
 * have checked whether the first write stored a pet.
 */
type ReadCheck = (before: KnownRequest, after: KnownRequest) => boolean;

function createReadCheck(requests: readonly KnownRequest[]): ReadCheck {
  /** Successful read requests of the run, grouped by the client that sent them. Created at the first use. */
  let ofClients: ReadonlyMap<string | undefined, KnownRequest[]> | undefined;
  return (before, after) => {
    ofClients ??= groupBy(requests.filter(isSuccessfulRead), ({ client }) => client);
    const reads = ofClients.get(before.client) ?? [];
    const next = reads[findLowest(reads.length, (index) => (reads[index] as KnownRequest).id > before.id)];
    return next !== undefined && next.id < after.id;
  };
}

const isSuccessfulRead = (request: KnownRequest) => !isWrite(request) && isServed(request);

const isStored = ({ known }: KnownRequest) => known.storedId !== undefined;

/**
 * Whether the client lacked the response to a write that stored a resource. Either the response was cut, unreadable or
 * a 5xx, or the client repeated the same named call (X-Sim-Call) before the response was sent.
 */
const isLost = (request: KnownRequest, stored: readonly KnownRequest[]) =>
  isUnknown(request) ||
  (request.call !== undefined &&
    stored.some((later) => later.id > request.id && later.arrivedAtMs < request.answeredAtMs));

const isWaitedFor = ({ status, answeredAtMs, arrivedAtMs }: KnownRequest) =>
  status > 0 && answeredAtMs - arrivedAtMs >= lateMs;

/**
 * Whether the response to every write but the last was lost or a 5xx, so that the client repeated writes without
 * knowing their results. A write that is repeated after a success may be intended.
 */
const isRepeatedBlindly = (stored: readonly KnownRequest[]) => stored.slice(0, -1).every(isUnknown);

/**
 * Whether a pet was stored again after a lost response, with another body or API key. The second write may be a
 * separate call.
 */
const isSamePetSentBlindly = (allRequests: readonly KnownRequest[]) =>
  listGroups(allRequests, ({ pet }) => pet).some((stored) => stored.length > 1 && isRepeatedBlindly(stored));

/**
 * Whether a client stored a pet, did not get the response, and soon stored a further pet without a read in between.
 * Considers only requests without a call name in the header X-Sim-Call.
 */
const isFollowedBlindly = (allRequests: readonly KnownRequest[], hasRead: ReadCheck) =>
  listGroups(
    allRequests.filter(({ call }) => call === undefined),
    ({ client }) => client,
  ).some((stored) => hasBlindStep(stored, hasRead));

function howLost({ status, isUnreadable, isAbandoned }: KnownRequest): string {
  if (status === 0 || isAbandoned) return 'was abandoned';
  return isUnreadable ? 'was lost' : `was ${status}`;
}

const advice = (first: KnownRequest) =>
  isUnknown(first)
    ? `Check with ${first.operation === 'createPet' ? 'GET /pets' : 'a GET'} before you repeat a write without a response.`
    : 'Do not repeat a successful call, regardless of its headers.';
