import { pathWithQuery, requestTarget } from '../../values/request-target.js';
import { finding, type WireRule } from '../finding.js';
import type { JudgedRequest, Run } from '../run.js';

/** Time within which the same request with another key is the refused call, if the refusal stated no wait. */
const soonMs = 60_000;

/** Rule: notes calls that a client sends again with another key instead of waiting. */
export const changedKey: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'request body'],
  words: 'changed its key after a refusal',
  judge(run) {
    const changes = changesIn(run);
    return {
      exercised: changes.length > 0,
      findings: changes.map(([refused, request]) =>
        finding('info', [refused, request], {
          measured: 'another key',
          allowed: 'the same key, after the wait',
          text: `${requestTarget(refused)} was refused with ${refused.status}, and the refused call was sent with another key. Some services count that as an attempt to evade the limit.`,
        }),
      ),
    };
  },
};

/**
 * Finds the first request of each key that repeats a refused call of another key during its wait, on the same connection
 * or by the same named client.
 */
function changesIn({ requests }: Run): [refused: JudgedRequest, request: JudgedRequest][] {
  const refusals = new Map<string, JudgedRequest>();
  const seen = new Set<string>();
  return requests.flatMap((request): [JudgedRequest, JudgedRequest][] => {
    const { token, isRefused, method, requestText } = request;
    if (token === undefined) return [];
    const isNew = !seen.has(token);
    if (!isNew && !isRefused) return [];
    const call = [method, pathWithQuery(request), requestText].join('\n');
    const refused = refusals.get(call);
    seen.add(token);
    if (isRefused) refusals.set(call, request);
    const isChanged = refused !== undefined && refused.token !== token && isNew && isOfOneClient(refused, request);
    return isChanged ? [[refused, request]] : [];
  });
}

function isOfOneClient(refused: JudgedRequest, request: JudgedRequest): boolean {
  const untilMs = refused.deadlineMs ?? refused.answeredAtMs + soonMs;
  const isSame =
    refused.connection !== undefined && request.connection !== undefined
      ? refused.connection === request.connection
      : refused.client !== undefined && refused.client === request.client;
  return isSame && request.id > refused.lastArrivedId && request.arrivedAtMs < untilMs;
}
