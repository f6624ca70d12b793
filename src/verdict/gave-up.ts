import { finding, type Rule, span } from './finding.js';

/** Nothing came after a deadline that passed before the end of the run. */
export const gaveUp: Rule = ({ episodes, endMs }) => {
  const due = episodes.filter(({ refusals }) => (refusals.at(-1)?.deadlineMs ?? Number.POSITIVE_INFINITY) < endMs);
  const findings = due.flatMap(({ refusals, served }) => {
    const last = refusals.at(-1);
    if (served !== undefined || last?.deadlineMs === undefined) return [];
    return [
      finding('gave-up', 'info', [last], {
        measured: `nothing for ${span(endMs - last.deadlineMs)} after the wait was over`,
        allowed: 'a request after the wait',
        text: `After ${refusals.length === 1 ? 'the refusal' : `${refusals.length} refusals`} the client did not come back, though it would have been served. That is right only where the caller was told.`,
      }),
    ];
  });
  return { exercised: due.length > 0, findings };
};
