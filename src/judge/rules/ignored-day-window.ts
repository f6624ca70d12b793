import { counted } from '../../values/counted.js';
import { finding, type SimulatorRule, span, times } from '../finding.js';
import { earlyMs, toleranceMs } from '../run.js';

/** Finds clients that keep retrying although the daily limit is exhausted. */
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
      const [told] = refusals;
      if (early.length === 0 || told?.deadlineMs === undefined) return [];
      return [
        finding('ignored-day-window', 'fail', early, {
          measured: `${counted(early.length, 'request')} before the day was over`,
          allowed: '0 requests',
          text: `The day's limit was used up for another ${span(told.deadlineMs - told.answeredAtMs)}, and the client tried ${times(early.length)} more. When the wait is longer than the caller can bear, give up with a clear error, and remember it.`,
        }),
      ];
    });
    const cameBack = days.some(({ requests }) =>
      requests.some(({ lastRefusalRead }) => lastRefusalRead?.known.window === 'day'),
    );
    return { exercised: cameBack || (isOver && days.length > 0), findings };
  },
};
