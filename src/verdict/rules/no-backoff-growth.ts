import { finding, span, type WireRule } from '../finding.js';
import { earlyMs, groupBy, type JudgedRequest } from '../run.js';

const leastRefusals = 3;
const leastGrowth = 1.5;
/** A wait may stop growing at a bound of the client's own after this many steps. */
const mostSteps = 3;
/** Added to each wait, so that a wait of nothing can grow too. */
const baseMs = 100;

/** Another try of a call, after the answer to the one before it. */
interface Retry {
  refusal: JudgedRequest;
  request: JudgedRequest;
}

/** Refused again and again, a client must wait longer each time: "and uses exponential backoff". */
export const noBackoffGrowth: WireRule = {
  needs: 'wire',
  judge({ episodes }) {
    const chains = episodes.flatMap(({ requests }) => {
      const retries = requests.flatMap((request) =>
        request.triedAfter === undefined ? [] : [{ refusal: request.triedAfter, request }],
      );
      const calls = [...groupBy(retries, ({ request }) => request.fingerprint).values()];
      return longest(calls.map(chainOf).filter(isTelling));
    });
    const findings = chains.flatMap((chain) => {
      const hasHeader = chain.every(({ refusal }) => refusal.retryAfterMs !== undefined);
      const waits = chain.map(({ refusal, request }) =>
        Math.max(0, request.arrivedAtMs - refusal.answeredAtMs - (refusal.retryAfterMs ?? 0)),
      );
      const growth = growthOf(waits);
      if (growth >= leastGrowth) return [];
      const refusals = chain.map(({ refusal }) => refusal);
      const last = chain.at(-1)?.request;
      const count = refusals.length + (last?.isRefused ? 1 : 0);
      const shown = waits.slice(0, 8).map(span).join(', ');
      return [
        finding('no-backoff-growth', 'warn', last?.isRefused ? [...refusals, last] : refusals, {
          measured: `${growth.toFixed(2)} times from wait to wait`,
          allowed: `at least ${leastGrowth} times`,
          text: `Refused ${count} times in a row, and waited about as long each time (${shown}${hasHeader ? ' on top of Retry-After' : ''}). Double the wait after each refusal, up to a bound, and give up after some attempts.`,
        }),
      ];
    });
    return { exercised: chains.length > 0, findings };
  },
};

/**
 * Tries of one call, each after the answer to the one before, that came no earlier than they might. What comes too early
 * is for another rule; and a timer that goes off a moment early earns a refusal that says nothing.
 */
function chainOf(retries: readonly Retry[]): Retry[] {
  const chain: Retry[] = [];
  for (const each of retries) {
    const last = chain.at(-1);
    const follows = last === undefined || each.refusal.id >= last.request.id;
    if (follows && (earlyMs(each.refusal, each.request) ?? 0) <= 0) chain.push(each);
  }
  return chain;
}

const refusalsOf = (chain: readonly Retry[]) => chain.length + (chain.at(-1)?.request.isRefused ? 1 : 0);

/** Two waits at least, and refusals enough. */
const isTelling = (chain: readonly Retry[]) => chain.length > 1 && refusalsOf(chain) >= leastRefusals;

const longest = (chains: readonly Retry[][]) => [...chains].sort((a, b) => b.length - a.length).slice(0, 1);

/** How much the waits grew from one to the next on average, until they reached their longest. */
function growthOf(waits: readonly number[]): number {
  const total = (Math.max(...waits) + baseMs) / ((waits[0] ?? 0) + baseMs);
  return total ** (1 / Math.min(waits.length - 1, mostSteps));
}
