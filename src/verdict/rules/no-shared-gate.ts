import { finding, type Rule, span, times } from '../finding.js';
import { type Episode, hasRead, type JudgedRequest, toleranceMs } from '../run.js';

/** While one call waits, others of the same key go on: the limit is the key's, so the wait must be too. */
export const noSharedGate: Rule = ({ episodes }) => {
  const findings = episodes.flatMap((episode) => {
    const others = strayOf(episode);
    const [first] = others;
    if (first === undefined) return [];
    const leftMs = (first.told.deadlineMs ?? 0) - first.request.arrivedAtMs;
    return [
      finding(
        'no-shared-gate',
        'warn',
        others.map(({ request }) => request),
        {
          measured: `${others.length} other call${others.length === 1 ? '' : 's'} during the wait`,
          allowed: '0, after a second for those on their way',
          text: `Another call with the same key was sent ${times(others.length)} while a 429 told it to wait, the first ${span(leftMs)} too early. The limit is the key's: let one wait hold back every call of it.`,
        },
      ),
    ];
  });
  const exercised = episodes.some(({ requests, refusals: [first] }) =>
    requests.some(
      (request) => first !== undefined && request.fingerprint !== first.fingerprint && hasRead(first, request),
    ),
  );
  return { exercised: exercised || findings.length > 0, findings };
};

/** Calls that were not refused themselves yet, and were sent although the client knew that another had to wait. */
function strayOf({ requests, refusals }: Episode): { request: JudgedRequest; told: JudgedRequest }[] {
  const refused = new Set<string>();
  return requests.flatMap((request) => {
    const isOwn = refused.has(request.fingerprint);
    if (request.isRefused) refused.add(request.fingerprint);
    if (isOwn) return [];
    const told = refusals.findLast((refusal) => hasRead(refusal, request));
    if (told?.deadlineMs === undefined || request.arrivedAtMs >= told.deadlineMs - toleranceMs) return [];
    return [{ request, told }];
  });
}
