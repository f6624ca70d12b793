import { pluralize } from '../../values/pluralize.js';
import { finding, formatDuration, type SimulatorRule } from '../finding.js';
import { earlyMs, toleranceMs } from '../run.js';

/** Rule: finds clients that keep retrying although the daily limit is exhausted. */
export const ignoredDayWindow: SimulatorRule = {
  needs: 'simulator',
  judge({ episodes, isOver }) {
    const days = episodes
      .map(({ refusals, requests }) => ({ refusals: refusals.filter(({ known }) => known.window === 'day'), requests }))
      .filter(({ refusals }) => refusals.length > 0);
    const findings = days.flatMap(({ refusals, requests }) => {
      const early = requests.filter(
        (request) =>
          request.lastRefusalRead?.known.window === 'day' &&
          (earlyMs(request.lastRefusalRead, request) ?? 0) > toleranceMs,
      );
      const [first] = refusals;
      if (early.length === 0 || first?.deadlineMs === undefined) return [];
      return [
        finding('ignored-day-window', 'fail', early, {
          measured: `${pluralize(early.length, 'request')} before the daily reset`,
          allowed: '0 requests',
          text: `The daily limit was exhausted for another ${formatDuration(first.deadlineMs - first.answeredAtMs)}, but the client sent ${pluralize(early.length, 'more request')}. If the wait is too long for the caller, fail with a clear error and send nothing until the reset.`,
        }),
      ];
    });
    const hasRetried = days.some(({ requests }) =>
      requests.some(({ lastRefusalRead }) => lastRefusalRead?.known.window === 'day'),
    );
    return { exercised: hasRetried || (isOver && days.length > 0), findings };
  },
};
