import { namedStored } from '../../requests/request-record.js';
import { findLowest } from '../../values/find-lowest.js';
import { groupBy, listGroups } from '../../values/group-by.js';
import { requestTarget } from '../../values/request-target.js';
import { finding, type SimulatorRule } from '../finding.js';
import {
  asksForWrites,
  isServed,
  isUnknown,
  isWrite,
  type JudgedRequest,
  type KnownRequest,
  waitedMs,
} from '../run.js';

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
    const repeated = calls.filter((stored) => stored.length > 1 && !isMisled(stored) && !isStoredOnce(stored));
    const resources = calls.reduce((sum, stored) => sum + (isStoredOnce(stored) ? 1 : stored.length), 0);
    const isMoreThanAsked = asked !== undefined && resources > asked;
    // Equal pets are no duplicates if the scenario requires the client to create several pets.
    const mayBeWanted = asked !== undefined && !isMoreThanAsked;
    const blamed = repeated.filter(
      (stored) =>
        (stored[0]?.call !== undefined && (isOnePet(stored) || isMoreThanAsked)) ||
        (stored[0]?.call === undefined && isRepeatedBlindly(stored) && !mayBeWanted),
    );
    const duplicates = blamed.filter((stored) => idsOf(stored).size > 1 && !isKeyIgnored(stored));
    const unclear = blamed.filter((stored) => !duplicates.includes(stored));
    const findings = duplicates.map((stored) => {
      const ids = [...idsOf(stored)];
      const [first] = stored as [KnownRequest];
      const like = stored.every(({ requestText }) => requestText === first.requestText)
        ? 'with one body'
        : 'for one call';
      const noun = first.noun;
      const again = isOnePet(stored)
        ? `the same ${noun} was sent again`
        : `another ${noun} was sent under the same X-Sim-Call`;
      return finding('fail', stored, {
        measured: `${ids.length} ${noun}s stored (${ids.join(', ')})`,
        allowed: `1 ${noun}`,
        text: `${requestTarget(first)} was stored, its response ${howLost(first)}, and ${again}: ${ids.length} ${noun}s ${like}. ${adviceOnKeys(stored) ?? advice(first)}`,
      });
    });
    const isDoubtful =
      (repeated.length > blamed.length && (isMoreThanAsked || repeated.some(isRepeatedBlindly))) ||
      (findings.length === 0 && !mayBeWanted && lost.length > 0 && isSamePetSentBlindly(calls));
    const isOtherPet = isMoreThanAsked && findings.length === 0 && isFollowedBlindly(allRequests, hasRead);
    const nounOfAll = allRequests[0]?.noun ?? 'resource';
    const [first] = unclear;
    return {
      exercised:
        lost.length > 0 ||
        findings.length > 0 ||
        calls.some((stored) => stored.some(isWaitedFor)) ||
        run.calls.some(isRepeatedByKey),
      findings,
      doubt:
        first !== undefined
          ? describeUnclear(first)
          : isDoubtful
            ? doubtOf(repeated, isMoreThanAsked, nounOfAll)
            : isOtherPet
              ? followed(nounOfAll)
              : undefined,
    };
  },
};

/** Ids of the resources that writes stored, as the responses name them. */
const idsOf = (stored: readonly KnownRequest[]) =>
  new Set(stored.flatMap(({ known }) => namedStored(known.storedId) ?? []));

/**
 * Whether attempts of a write certainly stored one resource: all responses have the same id, or the client sent one
 * idempotency key and the service repeated its response.
 */
function isStoredOnce(stored: readonly KnownRequest[]): boolean {
  const [first] = stored;
  const storedId = first?.known.storedId;
  if (stored.some(({ known }) => known.storedId !== storedId)) return false;
  return namedStored(storedId) !== undefined || (storedId !== '' && keysOf(stored).size === 1);
}

/** Headers with which a client names a write, so that the service stores the write once. */
const idempotencyHeaders = ['idempotency-key', 'x-idempotency-key', 'paypal-request-id'] as const;

const idempotencyKeyOf = ({ requestHeaders = {} }: JudgedRequest): string | undefined =>
  idempotencyHeaders.map((name) => requestHeaders[name]).find((key) => key !== undefined);

/** Idempotency keys of the attempts of a write; none unless each attempt has one. */
function keysOf(attempts: readonly JudgedRequest[]): ReadonlySet<string> {
  const keys = attempts.flatMap((request) => idempotencyKeyOf(request) ?? []);
  return new Set(keys.length === attempts.length ? keys : []);
}

/**
 * Whether a service stored a write twice although the client sent the same idempotency key. A service whose table says
 * what its writes store, such as the Petstore, has no such keys.
 */
const isKeyIgnored = (stored: readonly KnownRequest[]) => keysOf(stored).size === 1 && stored[0]?.stores === undefined;

/** Whether a client repeated a write whose result it could not know, with the same idempotency key. */
const isRepeatedByKey = (attempts: readonly JudgedRequest[]) =>
  attempts.length > 1 &&
  attempts.some((request) => isWrite(request) && isUnknown(request)) &&
  keysOf(attempts).size === 1;

/** Sentence about the idempotency keys of a write that was stored twice; `undefined` without a key in each attempt. */
function adviceOnKeys(stored: readonly KnownRequest[]): string | undefined {
  const { size } = keysOf(stored);
  if (size === 0) return undefined;
  return size === 1
    ? `The service stored both although the idempotency key was the same: it does not honor the key. Check with ${checkOf(stored[0])} before you repeat a write without a response.`
    : 'Each attempt had another idempotency key: send one key with all attempts of a call.';
}

/** Describes a repeated write of which the responses do not show how often it was stored. */
function describeUnclear(stored: readonly KnownRequest[]): string {
  const [first] = stored as [KnownRequest];
  const { method, path } = first;
  const target = requestTarget(first);
  if (idsOf(stored).size > 1)
    return `${target} was stored twice (${[...idsOf(stored)].join(', ')}) although the idempotency key was the same: the service does not honor the key.`;
  const key =
    keysOf(stored).size > 1 ? ' Each attempt had another idempotency key: send one key with all attempts.' : '';
  return `${target} was sent again after a lost response, and the responses have no id that shows whether it was stored twice.${key} Check the data of the service, or declare a request that only reads: --reads '${method} ${path}'.`;
}

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
const isSamePetSentBlindly = (calls: readonly (readonly KnownRequest[])[]) =>
  listGroups(calls.filter((stored) => stored.length === 1 || !isStoredOnce(stored)).flat(), ({ pet }) => pet).some(
    (stored) => stored.length > 1 && isRepeatedBlindly(stored),
  );

/**
 * Whether a client stored a pet, did not get the response, and soon stored a further pet without a read in between.
 * Considers only requests without a call name in the header X-Sim-Call.
 */
const isFollowedBlindly = (allRequests: readonly KnownRequest[], hasRead: ReadCheck) =>
  listGroups(
    allRequests.filter(({ call }) => call === undefined),
    ({ client }) => client,
  ).some((stored) => hasBlindStep(stored, hasRead));

function howLost({ status, isUnreadable, isAbandoned, isLeft }: KnownRequest): string {
  if (isLeft || isAbandoned) return 'was abandoned';
  return isUnreadable ? 'was lost' : `was ${status}`;
}

const advice = (first: KnownRequest) =>
  isUnknown(first)
    ? `Check with ${checkOf(first)} before you repeat a write without a response.`
    : 'Do not repeat a successful call, regardless of its headers.';

const checkOf = (first: KnownRequest | undefined) => first?.stores?.foundBy ?? 'a GET';
