import { finding, type Rule, target } from '../finding.js';
import { callsOf, isUnknown, type JudgedRequest, writesOf } from '../run.js';

/** An answer that takes this long is one that impatient clients do not wait for. */
const lateMs = 1_000;

/** A write whose answer was lost is repeated blindly, and stored twice. */
export const duplicateWrite: Rule = {
  needs: 'simulator',
  judge(run) {
    const calls = callsOf(writesOf(run)).map((tries) => tries.filter(({ storedId }) => storedId !== undefined));
    const lost = calls.filter((stored) => stored.some((each) => isLost(each, stored)));
    const findings = lost.flatMap((stored) => {
      if (stored.length < 2 || isMeant(stored)) return [];
      const ids = stored.map(({ storedId }) => storedId).join(', ');
      const [first] = stored as [JudgedRequest];
      return [
        finding('duplicate-write', 'fail', stored, {
          measured: `${stored.length} pets stored (${ids})`,
          allowed: '1 pet',
          text: `${target(first)} was stored, its answer ${howLost(first)}, and the same was sent again: ${stored.length} pets with one body. Look with GET /pets before you repeat a write whose answer you did not get.`,
        }),
      ];
    });
    return { exercised: lost.length > 0 || calls.some((stored) => stored.some(isWaitedFor)), findings };
  },
};

/** Not readable, or not waited for: the same named call came again before its answer. */
const isLost = (request: JudgedRequest, stored: readonly JudgedRequest[]) =>
  isUnknown(request) ||
  (request.call !== undefined &&
    stored.some((later) => later.id > request.id && later.arrivedAtMs < request.answeredAtMs));

const isWaitedFor = ({ status, answeredAtMs, arrivedAtMs }: JudgedRequest) =>
  status > 0 && answeredAtMs - arrivedAtMs >= lateMs;

/** A client that sends a body again although its answer came wants two pets that are alike. */
const isMeant = (stored: readonly JudgedRequest[]) =>
  stored[0]?.call === undefined && stored.slice(0, -1).some((request) => !isUnknown(request));

function howLost({ status, isUnreadable }: JudgedRequest): string {
  if (status === 0) return 'was not waited for';
  return isUnreadable ? 'was lost' : `was ${status}`;
}
