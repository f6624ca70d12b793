import { finding, span, type WireRule } from '../finding.js';
import { growthOf, isExponential, leastGrowth } from '../growth.js';
import { earlyMs, type JudgedRequest } from '../run.js';

const leastRefusals = 3;
/** The longest of waits that are alike, of the shortest. */
const mostApart = 3;
/** Longest time that the answer and the next request take on their way. */
const mostLatencyMs = 100;
/** Added to each wait before they are compared, so that waits of next to nothing are alike. */
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
    const chains = episodes.flatMap(({ requests }) => longest(chainsOf(requests).filter(isTelling)));
    const findings = chains.flatMap((chain) => {
      const hasHeader = chain.every(({ refusal }) => refusal.retryAfterMs !== undefined);
      const waits = chain.map(({ refusal, request }) =>
        Math.max(0, request.arrivedAtMs - refusal.answeredAtMs - (refusal.retryAfterMs ?? 0)),
      );
      const latencyMs = Math.min(mostLatencyMs, ...waits);
      // The latency is no part of the client's wait, and hides how far random waits are apart.
      if (!isFlat(waits) || !isFlat(waits.map((ms) => ms - latencyMs))) return [];
      const refusals = chain.map(({ refusal }) => refusal);
      const last = chain.at(-1)?.request;
      const count = refusals.length + (last?.isRefused ? 1 : 0);
      const shown = waits.slice(0, 8).map(span).join(', ');
      return [
        finding('no-backoff-growth', 'warn', last?.isRefused ? [...refusals, last] : refusals, {
          measured: `${growthOf(waits).toFixed(2)} times from wait to wait`,
          allowed: `at least ${leastGrowth} times`,
          text: `Refused ${count} times in a row, and waited about as long each time (${shown}${hasHeader ? ' on top of Retry-After' : ''}). Double the wait after each refusal, up to a bound, and give up after some attempts.`,
        }),
      ];
    });
    return { exercised: chains.length > 0, findings };
  },
};

/**
 * For each call its tries, each after the answer to the one before, that came no earlier than they might. What comes too
 * early is for another rule; and a timer that goes off a moment early earns a refusal that says nothing.
 */
function chainsOf(requests: readonly JudgedRequest[]): Retry[][] {
  const chains = new Map<number, Retry[]>();
  for (const request of requests) {
    const { retryOf: refusal, fingerprint } = request;
    if (refusal === undefined) continue;
    let chain = chains.get(fingerprint);
    if (chain === undefined) {
      chain = [];
      chains.set(fingerprint, chain);
    }
    const last = chain.at(-1);
    const follows = last === undefined || refusal.id >= last.request.id;
    if (follows && (earlyMs(refusal, request) ?? 0) <= 0) chain.push({ refusal, request });
  }
  return [...chains.values()];
}

const refusalsOf = (chain: readonly Retry[]) => chain.length + (chain.at(-1)?.request.isRefused ? 1 : 0);

/** Two waits at least, and refusals enough. */
const isTelling = (chain: readonly Retry[]) => chain.length > 1 && refusalsOf(chain) >= leastRefusals;

const longest = (chains: readonly Retry[][]) => [...chains].sort((a, b) => b.length - a.length).slice(0, 1);

const isFlat = (waits: readonly number[]) => !isExponential(waits) && isAlike(waits);

/** Waits that are drawn at random from a range that grows may shrink; then they differ by more than a jitter of a half. */
const isAlike = (waits: readonly number[]) => Math.max(...waits) + baseMs <= mostApart * (Math.min(...waits) + baseMs);
