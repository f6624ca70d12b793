import { finding, type Rule, times } from './finding.js';
import { hasRead, toleranceMs } from './run.js';

/** The client goes on sending during a ban that it has been told of. */
export const banHammered: Rule = ({ episodes }) => {
  const bans = episodes
    .map(({ refusals }) => refusals.filter(({ refusal }) => refusal === 'ban'))
    .filter((ban) => ban.length > 0);
  const findings = bans.flatMap((ban) => {
    const [first] = ban;
    const more = ban.filter(
      (request) =>
        first !== undefined &&
        hasRead(first, request) &&
        request.arrivedAtMs < (first.promisedAtMs ?? Number.POSITIVE_INFINITY) - toleranceMs,
    );
    if (more.length === 0) return [];
    return [
      finding('ban-hammered', 'fail', more, {
        measured: `${more.length} requests during the ban`,
        allowed: '0',
        text: `Sent ${times(more.length)} during a ban. Stop until Retry-After has passed; with some services each request makes the ban longer.`,
      }),
    ];
  });
  return { exercised: bans.length > 0, findings };
};
