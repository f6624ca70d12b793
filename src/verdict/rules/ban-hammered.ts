import { finding, type Rule, span, times } from '../finding.js';
import { hasRead, type JudgedRequest, toleranceMs } from '../run.js';

/** The client goes on sending during a ban that it has been told of. */
export const banHammered: Rule = ({ episodes, isOver }) => {
  const banned = episodes.filter(({ refusals }) => refusals.some(({ refusal }) => refusal === 'ban'));
  const findings = banned.flatMap(({ refusals }) => {
    const ban = refusals.filter(({ refusal }) => refusal === 'ban');
    const more = ban.filter((request) => {
      const told = ban.findLast((earlier) => hasRead(earlier, request));
      return told?.deadlineMs !== undefined && request.arrivedAtMs < told.deadlineMs - toleranceMs;
    });
    const [first] = more;
    if (first === undefined) return [];
    const longer = isExtended(ban) ? ' Each request made this ban longer.' : '';
    return [
      finding('ban-hammered', 'fail', more, {
        measured: requests(more.length),
        allowed: '0 requests',
        text: `Sent a request ${times(more.length)} during a ban, the first when ${span((first.promisedAtMs ?? 0) - first.arrivedAtMs)} of it were left.${longer} Send nothing with this key until Retry-After has passed, and then one request.`,
      }),
    ];
  });
  const cameBack = banned.some(({ requests, refusals }) => {
    const first = refusals.find(({ refusal }) => refusal === 'ban');
    return requests.some((request) => first !== undefined && hasRead(first, request));
  });
  return { exercised: cameBack || (isOver && banned.length > 0), findings };
};

const requests = (count: number) => `${count} request${count === 1 ? '' : 's'} during the ban`;

const isExtended = (ban: readonly JudgedRequest[]) =>
  ban.some(({ promisedAtMs }) => (promisedAtMs ?? 0) > (ban[0]?.promisedAtMs ?? 0));
