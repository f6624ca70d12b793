import { requestTarget } from '../../values/request-target.js';
import { finding, type WireRule } from '../finding.js';
import { isAnswered, type JudgedRequest, type Run } from '../run.js';

/** Request headers without which a retry is another request. */
const headers = ['accept', 'idempotency-key', 'x-idempotency-key'];

/**
 * Rule: finds retries that lost the query, the path or a header of the first attempt. Bodies belong to `body-changed`.
 */
export const changedRequest: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'answer headers'],
  words: 'changed a retry',
  judge(run) {
    const retries = retriesIn(run);
    const findings = retries.flatMap(({ first, next }) => {
      const lost = lostParts(first, next);
      if (lost.length === 0) return [];
      const what = lost.join(' and ');
      return [
        finding('warn', [first, next], {
          measured: `without ${what}`,
          allowed: 'the request as at first',
          text: `${requestTarget(first)} was retried as ${requestTarget(next)}, without ${what} of the first attempt. Build a request once, before its first attempt.`,
        }),
      ];
    });
    return { exercised: findings.length > 0, findings };
  },
};

interface Retry {
  first: JudgedRequest;
  next: JudgedRequest;
}

/**
 * Finds retries of failed requests: attempts of one named call, equal requests, and of a sequential client the next GET
 * of the same path without its query, if the client sends the path without a query only then.
 */
function retriesIn({ requests }: Run): Retry[] {
  const lastOfCalls = new Map<string, JudgedRequest>();
  const failedBefore = new Map<object, JudgedRequest>();
  const seen = new Set<string>();
  return requests.flatMap((next): Retry[] => {
    const { session, call, retryOf } = next;
    const named = call === undefined ? undefined : lastOfCalls.get(`${call} ${next.method}`);
    const last = failedBefore.get(session);
    const isBare = last !== undefined && call === undefined && session.isSequential && isWithoutQuery(last, next, seen);
    seen.add(requestTarget(next));
    if (call !== undefined) lastOfCalls.set(`${call} ${next.method}`, next);
    if (isFailed(next)) failedBefore.set(session, next);
    else failedBefore.delete(session);
    const first =
      (named !== undefined && isFailed(named) ? named : undefined) ?? retryOf ?? (isBare ? last : undefined);
    return first === undefined ? [] : [{ first, next }];
  });
}

const isFailed = (request: JudgedRequest) => !isAnswered(request) && !request.isLeft;

/**
 * Whether the next request after a failed GET has its path without the query. A client that gave up the call and goes on
 * with another one sent that before, or sends the first one again.
 */
function isWithoutQuery(failed: JudgedRequest, next: JudgedRequest, seen: ReadonlySet<string>): boolean {
  return (
    failed.method === 'GET' &&
    next.method === 'GET' &&
    next.path === failed.path &&
    failed.query !== '' &&
    next.query === '' &&
    next.id > failed.lastArrivedId &&
    !seen.has(requestTarget(next)) &&
    next.arrivedAtMs >= (failed.deadlineMs ?? failed.answeredAtMs)
  );
}

function lostParts(first: JudgedRequest, next: JudgedRequest): string[] {
  const isRead = first.method === 'GET';
  return [
    ...(isRead && first.path !== next.path ? [`the path ${first.path}`] : []),
    ...(isRead && first.path === next.path && first.query !== '' && next.query === '' ? ['the query'] : []),
    ...headers.flatMap((name) =>
      first.requestHeaders?.[name] !== undefined && next.requestHeaders !== undefined && !(name in next.requestHeaders)
        ? [`the header ${name}`]
        : [],
    ),
  ];
}
