import { listGroups } from '../../values/group-by.js';
import { pluralize } from '../../values/pluralize.js';
import { finding, formatTimes, type WireRule } from '../finding.js';
import { isAdmitted, type JudgedRequest, receiptMs, waitedMs } from '../run.js';

const maximumRepeats = 1;

/** Rule: finds clients that repeat requests with an API key after a 401. Repeating cannot make a key valid. */
export const retried401: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings'],
  words: 'retried after a 401',
  isConclusive: true,
  alwaysFails: true,
  judge({ requests }) {
    const withKey = requests.filter(({ token }) => token !== undefined);
    const findings = listGroups(withKey, ({ token }) => token).flatMap((same) => {
      const repeats = repeatsOf(same);
      const first = same.find(isUnauthorized);
      if (first === undefined || repeats.length <= maximumRepeats) return [];
      return [
        finding('fail', [first, ...repeats.filter((request) => request !== first)], {
          measured: pluralize(repeats.length, 'repeat'),
          allowed: pluralize(maximumRepeats, 'repeat'),
          text: `The same key was sent again ${formatTimes(repeats.length)} after a 401. Waiting does not make a key valid: stop and report the error. Some services ban for repeated 401s.`,
        }),
      ];
    });
    return { exercised: withKey.some(isUnauthorized), findings };
  },
};

/** Whether a 401 concerns the client's key: a backend from which the simulator withheld the key says nothing about it. */
const isUnauthorized = ({ status, isRefused, isKeyWithheld }: JudgedRequest) =>
  status === 401 && !isRefused && !isKeyWithheld;

/**
 * Finds requests that got a 401 although the client must have received an earlier 401. An earlier 401 does not count if
 * a success followed.
 */
function repeatsOf(same: readonly JudgedRequest[]): JudgedRequest[] {
  const onConnection = new Map<number, JudgedRequest>();
  const first = new Map<object | string, JudgedRequest>();
  return same.filter((request) => {
    if (!isUnauthorized(request)) {
      // To clear an empty map takes long, too.
      if (isAdmitted(request)) for (const read of [first, onConnection]) if (read.size > 0) read.clear();
      return false;
    }
    const { session, call, connection } = request;
    const previousRequest = first.get(session);
    const named = call === undefined ? undefined : first.get(call);
    const own = connection === undefined || request.isOverlapped ? undefined : onConnection.get(connection);
    const follows =
      (previousRequest !== undefined && session.isSequential) ||
      (previousRequest !== undefined && waitedMs(previousRequest, request) > receiptMs) ||
      [named, own].some((earlier) => earlier !== undefined && request.id > earlier.lastArrivedId);
    if (previousRequest === undefined) first.set(session, request);
    if (call !== undefined && named === undefined) first.set(call, request);
    if (connection !== undefined) onConnection.set(connection, request);
    return follows;
  });
}
