import { formatDuration } from '../../values/format-duration.js';
import { getOrCreate } from '../../values/get-or-create.js';
import { finding, type WireRule } from '../finding.js';
import { growthOf, isFlat, minimumGrowth, mostlyRises } from '../growth.js';
import { earlyMs, type JudgedRequest, type RefusalEpisode, type Run, waitedMs } from '../run.js';

const minimumRefusals = 3;

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
    const chains = conclusiveChains(episodes);
    const findings = chains.flatMap((chain) => {
      const hasHeader = chain.every(({ refusal }) => refusal.retryAfterMs !== undefined);
      const waits = waitsOf(chain);
      if (!isFlat(waits)) return [];
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

/** Whether the waits of a call grew, in a series of refusals that is long enough to show it. */
export const showsGrowth = ({ episodes }: Run): boolean =>
  conclusiveChains(episodes).some((chain) => !isFlat(waitsOf(chain)) && mostlyRises(waitsOf(chain)));

const conclusiveChains = (episodes: readonly RefusalEpisode[]) =>
  episodes.flatMap(({ requests }) => longest(chainsOf(requests).filter(isConclusive)));

/** The client's own part of each wait in a chain. */
const waitsOf = (chain: readonly Retry[]) =>
  chain.map(({ refusal, request }) => Math.max(0, waitedMs(refusal, request) - (refusal.retryAfterMs ?? 0)));

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
    // If the response may mean a wait, the client's own part of its wait is unknown.
    const isKnown = (refusal.unsure?.untilMs ?? 0) <= refusal.answeredAtMs;
    if (follows && isKnown && (earlyMs(refusal, request) ?? 0) <= 0) chain.push({ refusal, request });
  }
  return [...chains.values()];
}

const refusalsOf = (chain: readonly Retry[]) => chain.length + (chain.at(-1)?.request.isRefused ? 1 : 0);

/** Whether a call was retried at least twice, with enough refusals, so that the growth of its waits can be judged. */
const isConclusive = (chain: readonly Retry[]) => chain.length > 1 && refusalsOf(chain) >= minimumRefusals;

const longest = (chains: readonly Retry[][]) => [...chains].sort((a, b) => b.length - a.length).slice(0, 1);
