import { finding, type SimulatorRule, target } from '../finding.js';
import { groupBy, isUnknown, isWrite, type KnownRequest } from '../run.js';

/** An answer that takes this long is one that impatient clients do not wait for. */
const lateMs = 1_000;

/** A write whose answer was lost is repeated blindly, or one call is repeated although it was answered: stored twice. */
export const duplicateWrite: SimulatorRule = {
  needs: 'simulator',
  judge(run) {
    const all = run.requests.filter((request) => isWrite(request) && isStored(request));
    const asked = run.needs?.calls;
    const calls = [...groupBy(all, callOf).values()];
    const lost = calls.filter((stored) => stored.some((each) => isLost(each, stored)));
    const repeated = calls.filter((stored) => stored.length > 1);
    const isMoreThanAsked = asked !== undefined && all.length > asked;
    // A client that was to store several may have wanted as many that are alike.
    const mayBeWanted = asked !== undefined && !isMoreThanAsked;
    const duplicates = repeated.filter(
      (stored) => stored[0]?.call !== undefined || (isRepeatedBlindly(stored) && !mayBeWanted),
    );
    const findings = duplicates.map((stored) => {
      const ids = stored.map(({ known }) => known.storedId).join(', ');
      const [first] = stored as [KnownRequest];
      const like = stored.every(({ requestText }) => requestText === first.requestText)
        ? 'with one body'
        : 'for one call';
      return finding('duplicate-write', 'fail', stored, {
        measured: `${stored.length} pets stored (${ids})`,
        allowed: '1 pet',
        text: `${target(first)} was stored, its answer ${howLost(first)}, and the same was sent again: ${stored.length} pets ${like}. ${advice(first)}`,
      });
    });
    const isDoubtful =
      (repeated.length > duplicates.length && isMoreThanAsked) ||
      (findings.length === 0 && !mayBeWanted && lost.length > 0 && isSamePetSentBlindly(all));
    return {
      exercised: lost.length > 0 || findings.length > 0 || calls.some((stored) => stored.some(isWaitedFor)),
      findings,
      doubt: isDoubtful ? doubt : undefined,
    };
  },
};

const doubt =
  'Equal pets were added, and more than the scenario asks for: whether that was one call or several only its name in X-Sim-Call tells.';

/** A name makes one call of what is sent again with other bytes or another key; without it only the very same may be one. */
const callOf = (request: KnownRequest) =>
  request.call === undefined ? request.fingerprint : [request.client, request.call, request.pet].join('\n');

const isStored = ({ known }: KnownRequest) => known.storedId !== undefined;

/** Not readable, or not waited for: the same named call came again before its answer. */
const isLost = (request: KnownRequest, stored: readonly KnownRequest[]) =>
  isUnknown(request) ||
  (request.call !== undefined &&
    stored.some((later) => later.id > request.id && later.arrivedAtMs < request.answeredAtMs));

const isWaitedFor = ({ status, answeredAtMs, arrivedAtMs }: KnownRequest) =>
  status > 0 && answeredAtMs - arrivedAtMs >= lateMs;

/** A client that sends a body again although its answer came may want two pets that are alike. */
const isRepeatedBlindly = (stored: readonly KnownRequest[]) => stored.slice(0, -1).every(isUnknown);

/** The same again after a lost answer, with other bytes or another key: that may have been another call. */
const isSamePetSentBlindly = (all: readonly KnownRequest[]) =>
  [...groupBy(all, ({ pet }) => pet).values()].some((stored) => stored.length > 1 && isRepeatedBlindly(stored));

function howLost({ status, isUnreadable, isAbandoned }: KnownRequest): string {
  if (status === 0 || isAbandoned) return 'was not waited for';
  return isUnreadable ? 'was lost' : `was ${status}`;
}

const advice = (first: KnownRequest) =>
  isUnknown(first)
    ? 'Look with GET /pets before you repeat a write whose answer you did not get.'
    : 'A success is no reason to send the call again, whatever its headers say.';
