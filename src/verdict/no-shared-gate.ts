import { finding, type Rule, times } from './finding.js';
import { toleranceMs } from './run.js';

const graceMs = 1_000;

/** While one call waits, others of the same key go on: the limit is the key's, so the wait must be too. */
export const noSharedGate: Rule = ({ episodes }) => {
  const findings = episodes.flatMap(({ refusals, requests }) => {
    const [first] = refusals;
    if (first === undefined) return [];
    const waiting = new Set(
      refusals
        .filter(({ arrivedAtMs }) => arrivedAtMs <= first.answeredAtMs + graceMs)
        .map(({ fingerprint }) => fingerprint),
    );
    const others = requests.filter(
      ({ arrivedAtMs, fingerprint }) =>
        !waiting.has(fingerprint) &&
        arrivedAtMs > first.answeredAtMs + graceMs &&
        first.deadlineMs !== undefined &&
        arrivedAtMs < first.deadlineMs - toleranceMs,
    );
    if (others.length === 0) return [];
    return [
      finding('no-shared-gate', 'warn', others, {
        measured: `${others.length} other calls`,
        allowed: '0',
        text: `Other calls with the same key were sent ${times(others.length)} while a 429 told it to wait. Let one wait hold back every call of the key.`,
      }),
    ];
  });
  return { exercised: episodes.length > 0, findings };
};
