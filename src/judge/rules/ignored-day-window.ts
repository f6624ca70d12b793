import { pluralize } from '../../values/pluralize.js';
import { finding, formatDuration, type SimulatorRule } from '../finding.js';
import { isEarly, type KnownRequest } from '../run.js';

/** Rule: finds clients that keep retrying although the daily limit is exhausted. */
export const ignoredDayWindow: SimulatorRule = {
  needs: 'simulator',
  restsOn: ['key', 'timings'],
  words: 'kept sending after the daily limit',
  alwaysFails: true,
  isAbsence: true,
  isConsequence: true,
  blames: 'refused caller',
  judge({ episodes, requests: allRequests, isOver }) {
    const days = episodes
      .map(({ refusals, requests }) => ({ refusals: refusals.filter(({ known }) => known.window === 'day'), requests }))
      .filter(({ refusals }) => refusals.length > 0);
    const findings = days.flatMap(({ refusals, requests }) => {
      const early = requests.filter((request) => readDay(request) && isEarly(request.lastRefusalRead, request));
      const [first] = refusals;
      if (early.length === 0 || first?.deadlineMs === undefined) return [];
      return [
        finding('fail', early, {
          measured: `${pluralize(early.length, 'request')} before the daily reset`,
          allowed: '0 requests',
          text: `The daily limit was exhausted for another ${formatDuration(first.deadlineMs - first.answeredAtMs)}, but the client sent ${pluralize(early.length, 'more request')}. If the wait is too long for the caller, fail with a clear error and send nothing until the reset.`,
        }),
      ];
    });
    return { exercised: allRequests.some(readDay) || (isOver && days.length > 0), findings };
  },
};

/** Whether the client sent a request after it had received a refusal by the daily limit. */
const readDay = (request: KnownRequest): request is KnownRequest & { lastRefusalRead: KnownRequest } =>
  request.lastRefusalRead?.known.window === 'day';
