import { finding, type Rule, target } from './finding.js';
import { callsOf, type JudgedRequest } from './run.js';
import { isUnknown, writesOf } from './writes.js';

/** A write whose answer was lost is repeated blindly, and stored twice. */
export const duplicateWrite: Rule = (run) => {
  const calls = callsOf(writesOf(run)).map((tries) => tries.filter(({ storedId }) => storedId !== undefined));
  const lost = calls.filter((stored) => stored.some((each) => isLost(each, stored)));
  const findings = lost.flatMap((stored) => {
    const repeats = stored.slice(stored.findIndex((each) => isLost(each, stored)));
    if (repeats.length < 2 || isMeant(repeats)) return [];
    const ids = repeats.map(({ storedId }) => storedId).join(', ');
    const [first] = repeats as [JudgedRequest];
    return [
      finding('duplicate-write', 'fail', repeats, {
        measured: `${repeats.length} animals stored (${ids})`,
        allowed: '1 animal',
        text: `${target(first)} was stored, its answer ${howLost(first)}, and the same was sent again: ${repeats.length} animals with one body. Look with GET /pets before you repeat a write whose answer you did not get.`,
      }),
    ];
  });
  return { exercised: lost.length > 0, findings };
};

/** Not readable, or not waited for: the same named call came again before its answer. */
const isLost = (request: JudgedRequest, stored: readonly JudgedRequest[]) =>
  isUnknown(request) ||
  (request.call !== undefined &&
    stored.some((later) => later.id > request.id && later.arrivedAtMs < request.answeredAtMs));

/** Whoever sends a body again although its answer came wants two animals that are alike. */
const isMeant = (repeats: readonly JudgedRequest[]) =>
  repeats[0]?.call === undefined && repeats.slice(0, -1).some((request) => !isUnknown(request));

function howLost({ status, isSpoiled }: JudgedRequest): string {
  if (status === 0) return 'was not waited for';
  return isSpoiled ? 'was lost' : `was ${status}`;
}
