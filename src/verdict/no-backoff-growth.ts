import { finding, type Rule, span } from './finding.js';
import { hasRead, type JudgedRequest } from './run.js';

const leastRefusals = 3;
const leastGrowth = 1.5;
/** Added to each wait, so that a wait of nothing can grow too. */
const baseMs = 100;

/** Refused again and again, a client must wait longer each time: "and uses exponential backoff". */
export const noBackoffGrowth: Rule = ({ episodes }) => {
  const chains = episodes.map(({ requests }) => chainOf(requests)).filter((chain) => chain.length >= leastRefusals);
  const findings = chains.flatMap((chain) => {
    const extra = chain.slice(1).map((request, index) => {
      const before = chain[index] as JudgedRequest;
      return request.arrivedAtMs - before.answeredAtMs - (before.retryAfterMs ?? 0);
    });
    // Who comes too early is told so by another rule; growth is about the waits on top of what was asked.
    const waits = extra.map((ms) => Math.max(0, ms) + baseMs);
    const growths = waits.slice(1).map((wait, index) => wait / (waits[index] as number));
    const growth = growths.reduce((sum, each) => sum + each, 0) / growths.length;
    if (growths.length === 0 || growth >= leastGrowth) return [];
    return [
      finding('no-backoff-growth', 'warn', chain, {
        measured: `${growth.toFixed(2)} times from wait to wait`,
        allowed: `at least ${leastGrowth} times`,
        text: `Refused ${chain.length} times in a row, and waited about the same each time (${extra.map(span).join(', ')} on top of Retry-After). Double the wait after each refusal.`,
      }),
    ];
  });
  return { exercised: chains.length > 0, findings };
};

/** The refusals of the first call of an episode that follow one another. */
function chainOf(requests: readonly JudgedRequest[]): JudgedRequest[] {
  const [first] = requests;
  const chain: JudgedRequest[] = [];
  for (const request of requests) {
    const last = chain.at(-1);
    if (request.fingerprint !== first?.fingerprint) continue;
    if (last === undefined || hasRead(last, request)) chain.push(request);
  }
  return chain;
}
