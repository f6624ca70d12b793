import { servedAgainAfter } from '../../rate-limits/served-again.js';
import { formatDuration } from '../../values/format-duration.js';
import { pluralize } from '../../values/pluralize.js';
import { finding, firstPrefix, type SimulatorRule } from '../finding.js';
import { earlyMs, isEarly, type KnownRequest } from '../run.js';

/** Rule: finds requests that a client sent during a ban, after it must have received the response about the ban. */
export const banHammered: SimulatorRule = {
  needs: 'simulator',
  restsOn: ['key', 'timings'],
  words: 'kept sending during the ban',
  isConclusive: true,
  alwaysFails: true,
  isConsequence: true,
  blames: 'refused caller',
  judge({ episodes, requests, isOver }) {
    const bans = episodes
      .map(({ refusals }) => refusals.filter(({ isBan }) => isBan))
      .filter(({ length }) => length > 0);
    const findings = bans.flatMap((ban) => {
      const more = ban.filter((request) => request.lastRefusalRead?.isBan && isEarly(request.lastRefusalRead, request));
      const [first] = more;
      if (first === undefined) return [];
      const longer = isExtended(ban) ? ' Each request extended the ban.' : '';
      return [
        finding('fail', more, {
          measured: `${pluralize(more.length, 'request')} after the response that reported the ban`,
          allowed: '0 requests',
          text: `Sent ${pluralize(more.length, 'more request')} during a ban, ${firstPrefix(more)}${formatDuration(beforeEndMs(first))} before its end.${longer} Send nothing with this key until Retry-After has passed, then one request.`,
        }),
      ];
    });
    const hasRetried = requests.some(({ lastRefusalRead }) => lastRefusalRead?.isBan);
    return { exercised: hasRetried || (isOver && bans.length > 0), findings };
  },
};

/** Time from a request until the end of the ban that its client had read of. */
function beforeEndMs(request: KnownRequest): number {
  const refusal = request.lastRefusalRead as KnownRequest;
  const { bannedUntilMs } = servedAgainAfter({ ...refusal.known, refusal: 'ban' }) ?? {};
  const untilDeadlineMs = earlyMs(refusal, request) ?? 0;
  return bannedUntilMs === undefined ? untilDeadlineMs : Math.min(untilDeadlineMs, bannedUntilMs - request.arrivedAtMs);
}

const isExtended = (ban: readonly KnownRequest[]) =>
  ban.some(({ known }) => (known.promisedAtMs ?? 0) > (ban[0]?.known.promisedAtMs ?? 0));
