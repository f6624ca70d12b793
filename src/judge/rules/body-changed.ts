import { groupBy } from '../../values/group-by.js';
import { fromJsonBytes } from '../../values/json-bytes.js';
import { finding, target, type WireRule } from '../finding.js';
import { obtainedIn } from '../given-up.js';
import { isUnknown, isWrite, type JudgedRequest } from '../run.js';

/** A write is tried again with an empty body, with a part of it, or, where the call is known, with another one. */
export const bodyChanged: WireRule = {
  needs: 'wire',
  judge(run) {
    const writes = groupBy(run.requests.filter(isWrite), ({ token, call }) => `${token} ${call}`);
    const retries = [...writes.values()].flatMap(retriesOf);
    const obtained = obtainedIn(run);
    const findings = retries
      .filter(({ first, next }) => !isSame(first, next))
      // What came between was another pet, where the refused one is stored later.
      .filter(({ first, next }) => next.status !== 400 || length(next) === 0 || !obtained.has(first))
      .map(({ first, next }) =>
        finding('body-changed', 'fail', [first, next], {
          measured: `${length(next)} ${length(next) === length(first) ? 'other ' : ''}bytes`,
          allowed: `the same ${length(first)} bytes`,
          text: `${target(next)} was tried again with ${nameOf(first, next)}. ${isBroken(next) || isBeginning(first, next) ? unread : madeAnew}: keep the bytes, and send the same.`,
        }),
      );
    return { exercised: retries.length > 0, findings };
  },
};

const unread = 'A stream can be read only once, and what is JSON already is not to be made JSON again';
const madeAnew = 'A call has one body, made before its first try';

interface RetriedWrite {
  first: JudgedRequest;
  next: JudgedRequest;
}

/** Each write with the refused or unanswered one that it is another try of, if any. */
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

/** Sent by a client that had read the refusal: the same named call, or a beginning of the body, which no first try is. */
const isRetry = (first: JudgedRequest, next: JudgedRequest) =>
  first.id <= (next.lastRefusalRead?.id ?? 0) &&
  (next.call !== undefined || isBeginning(first, next) || isBroken(next));

/** Sent after the end of a write without an answer, with less than its body: an empty or cut body is no other pet. */
const isRetryOfLost = (first: JudgedRequest, next: JudgedRequest) =>
  next.lane === first.lane && next.lane.isOneThread && next.id > first.lastArrivedId && isBeginning(first, next);

/** What the service cannot read is no other pet. */
const isBroken = ({ status, lane }: JudgedRequest) => status === 400 && lane.isOneThread;

function isBeginning(first: JudgedRequest, next: JudgedRequest): boolean {
  const [whole, part] = [bodyOf(first), bodyOf(next)];
  return part.length < whole.length && part.every((byte, at) => byte === whole[at]);
}

const nameOf = (first: JudgedRequest, next: JudgedRequest) =>
  length(next) === 0
    ? 'an empty body'
    : isBeginning(first, next)
      ? 'only the beginning of its body'
      : next.status === 400
        ? 'a body that the service cannot read'
        : 'another body';

const bodyOf = ({ requestBody = '' }: JudgedRequest) => fromJsonBytes(requestBody);

const length = (request: JudgedRequest) => bodyOf(request).length;

/** Other bytes may say the same: when it was sent, or its fields in another order. */
const isSame = (first: JudgedRequest, next: JudgedRequest) =>
  first.requestText === next.requestText || first.pet === next.pet;
