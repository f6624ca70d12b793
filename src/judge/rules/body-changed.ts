import { listGroups } from '../../values/group-by.js';
import { fromJsonBytes } from '../../values/json-bytes.js';
import { requestTarget } from '../../values/request-target.js';
import { finding, type WireRule } from '../finding.js';
import { laterSuccessesIn } from '../given-up.js';
import { isUnknown, isWrite, type JudgedRequest } from '../run.js';

/**
 * Rule: finds writes that a client retries with another body than at first, such as an empty, shortened or damaged
 * body. For calls named by X-Sim-Call, also finds retries for another resource.
 */
export const bodyChanged: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'request body'],
  words: 'changed the body of a retry',
  isConclusive: true,
  alwaysFails: true,
  judge(run) {
    const service = run.service ?? 'the service';
    const writes = listGroups(run.requests.filter(isWrite), ({ token, call }) => `${token} ${call}`);
    const retries = writes.flatMap(retriesOf);
    const isObtained = laterSuccessesIn(run);
    const findings = retries
      .filter(({ first, next }) => !isSame(first, next))
      // Ignores a changed, non-empty body that got a 400 if a later request achieved the purpose of the first request.
      // The rejected request was then no retry, but a request for another pet.
      .filter(({ first, next }) => next.status !== 400 || length(next) === 0 || !isObtained(first))
      .map(({ first, next }) =>
        finding('fail', [first, next], {
          measured: `${length(next)} ${length(next) === length(first) ? 'different ' : ''}bytes`,
          allowed: `the same ${length(first)} bytes`,
          text: `${requestTarget(next)} was retried with ${nameOf(first, next, service)}. ${isLikelyDamaged(next) || isBeginning(first, next) ? unread : madeAnew}: store the serialized body and resend it.`,
        }),
      );
    return { exercised: retries.length > 0, findings };
  },
};

const unread = 'A stream can be read only once, and JSON text must not be serialized again';
const madeAnew = 'A call has one body, created before its first attempt';

interface RetriedWrite {
  first: JudgedRequest;
  next: JudgedRequest;
}

/** Finds the retries of refused or unanswered writes. Returns each retry with the first write. */
function retriesOf(writes: readonly JudgedRequest[]): RetriedWrite[] {
  let refused: JudgedRequest | undefined;
  let lost: JudgedRequest | undefined;
  const retries: RetriedWrite[] = [];
  for (const next of writes) {
    const first =
      next.retryOf ??
      (refused !== undefined && isRetry(refused, next) ? refused : undefined) ??
      (lost !== undefined && isRetryOfLost(lost, next) ? lost : undefined);
    if (length(next) > 0) {
      if (next.isRefused) refused = next;
      lost = isUnknown(next) ? next : undefined;
    }
    if (first !== undefined && length(first) > 0) retries.push({ first, next });
  }
  return retries;
}

/** Whether a request probably retries an earlier write whose refusal the client has received. */
const isRetry = (first: JudgedRequest, next: JudgedRequest) =>
  first.id <= (next.lastRefusalRead?.id ?? 0) &&
  (next.call !== undefined || isBeginning(first, next) || isLikelyDamaged(next));

/**
 * Whether a request retries an unanswered write with only the beginning of the write's body. Such a body does not
 * describe another pet.
 */
const isRetryOfLost = (first: JudgedRequest, next: JudgedRequest) =>
  next.session === first.session &&
  next.session.isSequential &&
  next.id > first.lastArrivedId &&
  isBeginning(first, next);

/**
 * Whether a request was probably a retry with a damaged body: a 400, and a client that sends one request at a time. A
 * request of a concurrent client may belong to another call.
 */
const isLikelyDamaged = ({ status, session }: JudgedRequest) => status === 400 && session.isSequential;

function isBeginning(first: JudgedRequest, next: JudgedRequest): boolean {
  const [whole, part] = [bodyOf(first), bodyOf(next)];
  return part.length < whole.length && part.every((byte, index) => byte === whole[index]);
}

const nameOf = (first: JudgedRequest, next: JudgedRequest, service: string) =>
  length(next) === 0
    ? 'an empty body'
    : isBeginning(first, next)
      ? 'only the start of its body'
      : next.status === 400
        ? `a body that ${service} cannot parse`
        : 'another body';

const bodyOf = ({ requestBody = '' }: JudgedRequest) => fromJsonBytes(requestBody);

const length = (request: JudgedRequest) => bodyOf(request).length;

/** Whether two write bodies store the same resource, regardless of the order of fields and of additional fields. */
const isSame = (first: JudgedRequest, next: JudgedRequest) =>
  first.requestText === next.requestText || first.pet === next.pet;
