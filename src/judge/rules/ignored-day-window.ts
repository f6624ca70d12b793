import { formatDuration } from '../../values/format-duration.js';
import { pluralize } from '../../values/pluralize.js';
import { documentedNames, isDocumented } from '../../values/window-fields.js';
import { finding, type SimulatorRule } from '../finding.js';
import { isEarly, type KnownRequest, type Run } from '../run.js';

/** Rule: finds clients that keep retrying although a long limit, such as the daily one, is exhausted. */
export const ignoredDayWindow: SimulatorRule = {
  needs: 'simulator',
  restsOn: ['key', 'timings'],
  words: 'kept sending although a long limit was exhausted',
  alwaysFails: true,
  isConsequence: true,
  blames: 'refused caller',
  judge({ episodes, requests: allRequests, isOver, shortestWindows }) {
    const isLong = isLongWindow(shortestWindows);
    const longWaits = episodes
      .map(({ refusals, requests }) => ({ refusals: refusals.filter(isLong), requests }))
      .filter(({ refusals }) => refusals.length > 0);
    const hasRead = (request: KnownRequest): request is ReadRefusal =>
      request.lastRefusalRead !== undefined && isLong(request.lastRefusalRead);
    const findings = longWaits.flatMap(({ refusals, requests }) => {
      const early = requests.filter((request) => hasRead(request) && isEarly(request.lastRefusalRead, request));
      const [first] = refusals;
      if (early.length === 0 || first?.deadlineMs === undefined) return [];
      const { window } = first.known;
      const [limit, reset] =
        window === 'day' ? ['daily limit', 'daily reset'] : [`limit per ${window}`, `reset of the window ${window}`];
      return [
        finding('fail', early, {
          measured: `${pluralize(early.length, 'request')} before the ${reset}`,
          allowed: '0 requests',
          text: `The ${limit} was exhausted for another ${formatDuration(first.deadlineMs - first.answeredAtMs)}, but the client sent ${pluralize(early.length, 'more request')}. If the wait is too long for the caller, fail with a clear error and send nothing until the reset.`,
        }),
      ];
    });
    return { exercised: allRequests.some(hasRead) || (isOver && longWaits.length > 0), findings };
  },
};

/** Request of a client that had received a rejection before. */
type ReadRefusal = KnownRequest & { lastRefusalRead: KnownRequest };

/**
 * Creates a function that returns whether a rejection is by a window other than the plan's shortest. Without lengths,
 * as in a recording, only the documented windows after the first are known to be longer. During a ban, an added window can have requests left.
 */
const isLongWindow =
  (shortestWindows: Run['shortestWindows']) =>
  ({ known: { window, plan = '', refusal, isStrike } }: KnownRequest): boolean => {
    if (window === undefined || window === shortestWindows?.[plan]) return false;
    if (window === documentedNames.at(-1)) return true;
    if (shortestWindows === undefined) return isDocumented(window) && window !== documentedNames[0];
    return refusal === 'limit' || isStrike;
  };
