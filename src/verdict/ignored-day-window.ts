import { finding, type Rule, span, times } from './finding.js';
import { lastRead, toleranceMs } from './run.js';

/** The day is used up, and the client goes on trying as if it were the minute. */
export const ignoredDayWindow: Rule = ({ episodes }) => {
  const days = episodes.filter(({ refusals }) => refusals.some(({ window }) => window === 'day'));
  const findings = days.flatMap(({ refusals, requests }) => {
    const dayRefusals = refusals.filter(({ window }) => window === 'day');
    const early = requests.filter((request) => {
      const read = lastRead(dayRefusals, request);
      return read?.deadlineMs !== undefined && request.arrivedAtMs < read.deadlineMs - toleranceMs;
    });
    const [first] = dayRefusals;
    if (early.length === 0 || first?.deadlineMs === undefined) return [];
    return [
      finding('ignored-day-window', 'fail', early, {
        measured: `${early.length} requests`,
        allowed: '0',
        text: `The day's limit was used up for another ${span(first.deadlineMs - first.answeredAtMs)}, and the client tried ${times(early.length)} more. When the wait is longer than the caller can bear, give up with a clear error.`,
      }),
    ];
  });
  return { exercised: days.length > 0, findings };
};
