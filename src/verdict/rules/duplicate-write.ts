import { finding, type SimulatorRule, target } from '../finding.js';
import { isUnknown, isWrite, type KnownRequest, type Run, writesOf } from '../run.js';

/** An answer that takes this long is one that impatient clients do not wait for. */
const lateMs = 1_000;

/** A write whose answer was lost is repeated blindly, or one call is repeated although it was answered: stored twice. */
export const duplicateWrite: SimulatorRule = {
  needs: 'simulator',
  judge(run) {
    const calls = writesOf(run).map((tries) => tries.filter(isStored));
    const lost = calls.filter((stored) => stored.some((each) => isLost(each, stored)));
    const repeated = calls.filter((stored) => stored.length > 1);
    const duplicates = repeated.filter((stored) => stored[0]?.call !== undefined || isRepeatedBlindly(stored));
    const findings = duplicates.map((stored) => {
      const ids = stored.map(({ known }) => known.storedId).join(', ');
      const [first] = stored as [KnownRequest];
      return finding('duplicate-write', 'fail', stored, {
        measured: `${stored.length} pets stored (${ids})`,
        allowed: '1 pet',
        text: `${target(first)} was stored, its answer ${howLost(first)}, and the same was sent again: ${stored.length} pets with one body. ${advice(first)}`,
      });
    });
    return {
      exercised: lost.length > 0 || findings.length > 0 || calls.some((stored) => stored.some(isWaitedFor)),
      findings,
      doubt: repeated.length > duplicates.length && isMoreThanAsked(run) ? doubt : undefined,
    };
  },
};

const doubt =
  'Equal pets were added although the first was answered, and more than the scenario asks for: whether that was one call or several only its name in X-Sim-Call tells.';

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

const isMoreThanAsked = ({ requests, needs }: Run<KnownRequest>) =>
  needs?.calls !== undefined &&
  requests.filter((request) => isWrite(request) && isStored(request)).length > needs.calls;

function howLost({ status, isUnreadable, isAbandoned }: KnownRequest): string {
  if (status === 0 || isAbandoned) return 'was not waited for';
  return isUnreadable ? 'was lost' : `was ${status}`;
}

const advice = (first: KnownRequest) =>
  isUnknown(first)
    ? 'Look with GET /pets before you repeat a write whose answer you did not get.'
    : 'A success is no reason to send the call again, whatever its headers say.';
