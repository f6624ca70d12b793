import { formatDuration } from '../../values/format-duration.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { finding, type WireRule } from '../finding.js';
import { growthOf, isExponential, minimumGrowth } from '../growth.js';
import { earlyMs, type JudgedRequest, waitedMs } from '../run.js';

const minimumRefusals = 3;
/** Maximum ratio of the longest wait to the shortest for waits that count as about equal. */
const maximumApart = 3;
/** Maximum network latency that the judge subtracts from a client's measured waits. */
const maximumLatencyMs = 100;
/**
 * Time added to both the longest and the shortest wait of a client before their ratio is computed. Very short waits
 * then count as equal.
 */
const baseMs = 100;

/** A retry of a refused request, sent after the refusal was received. */
interface Retry {
  refusal: JudgedRequest;
  request: JudgedRequest;
}

/**
 * Rule: finds clients whose waits do not grow when a call is refused repeatedly. The API's documentation: "and uses
 * exponential backoff".
 */
export const noBackoffGrowth: WireRule = {
  needs: 'wire',
  restsOn: ['key', 'timings', 'milliseconds', 'answer headers', 'readable headers', 'request body'],
  words: 'did not increase its waits',
  judge({ episodes }) {
    const chains = episodes.flatMap(({ requests }) => longest(chainsOf(requests).filter(isConclusive)));
    const findings = chains.flatMap((chain) => {
      const hasHeader = chain.every(({ refusal }) => refusal.retryAfterMs !== undefined);
      const waits = chain.map(({ refusal, request }) =>
        Math.max(0, waitedMs(refusal, request) - (refusal.retryAfterMs ?? 0)),
      );
      const latencyMs = Math.min(maximumLatencyMs, ...waits);
      // Also compares the waits without the network latency, because latency makes growing waits look equal.
      if (!isFlat(waits) || !isFlat(waits.map((ms) => ms - latencyMs))) return [];
      const last = chain.at(-1)?.request;
      const refusals = [...chain.map(({ refusal }) => refusal), ...(last?.isRefused ? [last] : [])];
      const shown = waits.slice(0, 8).map(formatDuration).join(', ');
      return [
        finding('warn', refusals, {
          measured: `waits grew by a factor of ${growthOf(waits).toFixed(2)}`,
          allowed: `a factor of at least ${minimumGrowth}`,
          text: `Refused ${refusals.length} times in a row, with about the same wait each time (${shown}${hasHeader ? ' on top of Retry-After' : ''}). Double the wait after each refusal up to a maximum, and limit the attempts.`,
        }),
      ];
    });
    return { exercised: chains.length > 0, findings };
  },
};

/**
 * Collects the retries of each call. A retry that was too early, or sent before the previous response, is left out: it
 * shows nothing about the backoff.
 */
function chainsOf(requests: readonly JudgedRequest[]): Retry[][] {
  const chains = new Map<number, Retry[]>();
  for (const request of requests) {
    const { retryOf: refusal, fingerprint } = request;
    if (refusal === undefined) continue;
    const chain = getOrCreate(chains, fingerprint, () => []);
    const last = chain.at(-1);
    const follows = last === undefined || refusal.id >= last.request.id;
    // Of a wait for an unreadable Retry-After, the client's own part is unknown.
    const isKnown = (refusal.unreadWaitMs ?? 0) === 0;
    if (follows && isKnown && (earlyMs(refusal, request) ?? 0) <= 0) chain.push({ refusal, request });
  }
  return [...chains.values()];
}

const refusalsOf = (chain: readonly Retry[]) => chain.length + (chain.at(-1)?.request.isRefused ? 1 : 0);

/** Whether a call was retried at least twice, with enough refusals, so that the growth of its waits can be judged. */
const isConclusive = (chain: readonly Retry[]) => chain.length > 1 && refusalsOf(chain) >= minimumRefusals;

const longest = (chains: readonly Retry[][]) => [...chains].sort((a, b) => b.length - a.length).slice(0, 1);

const isFlat = (waits: readonly number[]) => !isExponential(waits) && isAlike(waits);

/**
 * Whether the waits of a client are about equal, within the noise of the machine. Random waits of a growing backoff
 * differ more.
 */
const isAlike = (waits: readonly number[]) =>
  Math.max(...waits) + baseMs <= maximumApart * (Math.min(...waits) + baseMs);
