import { finding, span, type WireRule } from '../finding.js';
import { growthOf, isExponential, leastGrowth } from '../growth.js';
import { earlyMs, type JudgedRequest } from '../run.js';

const leastRefusals = 3;
/** Maximum ratio of the longest to the shortest of about equal waits. */
const mostApart = 3;
/** Maximum latency of a response and the next request, in milliseconds. */
const mostLatencyMs = 100;
/** Added to every wait before the comparison, in milliseconds, so that very short waits count as equal. */
const baseMs = 100;

/** A retry of a call, sent after the response to the previous attempt. */
interface Retry {
  refusal: JudgedRequest;
  request: JudgedRequest;
}

/** Finds waits that do not grow with repeated refusals ("and uses exponential backoff"). */
export const noBackoffGrowth: WireRule = {
  needs: 'wire',
  judge({ episodes }) {
    const chains = episodes.flatMap(({ requests }) => longest(chainsOf(requests).filter(isConclusive)));
    const findings = chains.flatMap((chain) => {
      const hasHeader = chain.every(({ refusal }) => refusal.retryAfterMs !== undefined);
      const waits = chain.map(({ refusal, request }) =>
        Math.max(0, request.arrivedAtMs - refusal.answeredAtMs - (refusal.retryAfterMs ?? 0)),
      );
      const latencyMs = Math.min(mostLatencyMs, ...waits);
      // Latency is not part of the client's wait, and hides differences between random waits.
      if (!isFlat(waits) || !isFlat(waits.map((ms) => ms - latencyMs))) return [];
      const refusals = chain.map(({ refusal }) => refusal);
      const last = chain.at(-1)?.request;
      const count = refusals.length + (last?.isRefused ? 1 : 0);
      const shown = waits.slice(0, 8).map(span).join(', ');
      return [
        finding('no-backoff-growth', 'warn', last?.isRefused ? [...refusals, last] : refusals, {
          measured: `waits grew by a factor of ${growthOf(waits).toFixed(2)}`,
          allowed: `a factor of at least ${leastGrowth}`,
          text: `Refused ${count} times in a row, with about the same wait each time (${shown}${hasHeader ? ' on top of Retry-After' : ''}). Double the wait after each refusal up to a maximum, and limit the attempts.`,
        }),
      ];
    });
    return { exercised: chains.length > 0, findings };
  },
};

/**
 * Attempts per call, each sent after the previous response and not too early. Early retries belong to another rule, and
 * their refusals are no evidence about the backoff.
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

/** Whether the chain has at least two waits and enough refusals. */
const isConclusive = (chain: readonly Retry[]) => chain.length > 1 && refusalsOf(chain) >= leastRefusals;

const longest = (chains: readonly Retry[][]) => [...chains].sort((a, b) => b.length - a.length).slice(0, 1);

const isFlat = (waits: readonly number[]) => !isExponential(waits) && isAlike(waits);

/**
 * Whether the waits are about equal. Random waits from a growing range may shrink, but differ by more than a jitter of
 * one half.
 */
const isAlike = (waits: readonly number[]) => Math.max(...waits) + baseMs <= mostApart * (Math.min(...waits) + baseMs);
