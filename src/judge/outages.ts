import type { Outage } from '../journal/outage.js';
import { joinWords } from '../values/join-words.js';
import { pluralize } from '../values/pluralize.js';
import type { Finding } from './finding.js';
import { rules } from './rules.js';
import type { JudgedRequest } from './run.js';

/**
 * Creates a function that decides whether an outage of the server may explain a client's wrong behavior (a finding).
 * During an outage, the server records neither requests nor responses, so the journal may lack the reason for the
 * behavior.
 */
export function createOutageExcuse(
  requests: readonly JudgedRequest[],
  outages: readonly Outage[],
): (found: Finding) => boolean {
  if (outages.length === 0) return () => false;
  const byId = new Map(requests.map((request) => [request.id, request]));
  return ({ code, requests: ids }) => {
    const blamed = ids.flatMap((id) => byId.get(id) ?? []);
    const firstMs = Math.min(...blamed.map(excusableFromMs));
    const lastMs = rules[code].isAbsence
      ? Number.POSITIVE_INFINITY
      : Math.max(...blamed.map(({ arrivedAtMs }) => arrivedAtMs));
    return outages.some(({ fromMs, toMs }) => firstMs <= toMs && lastMs >= fromMs);
  };
}

/** Returns the time from which a server outage may explain a client's wrong request. */
const excusableFromMs = ({ arrivedAtMs, lastRefusalRead, retryOf, retryOfOutage }: JudgedRequest) =>
  Math.min(
    ...[lastRefusalRead, retryOf, retryOfOutage].map((previousRequest) => previousRequest?.arrivedAtMs ?? arrivedAtMs),
    arrivedAtMs,
  );

/** Maximum number of server outages that a message lists. */
const maximumTimes = 3;

/** Describes the server outages that make a run incomplete. */
export function describeOutages(outages: readonly Outage[]): string {
  const refused = outages.reduce((sum, outage) => sum + outage.refused, 0);
  const times = joined(outages);
  const time = (ms: number) => new Date(ms).toISOString();
  const parts = times.slice(0, maximumTimes).map(({ fromMs, toMs }) => `between ${time(fromMs)} and ${time(toMs)}`);
  if (times.length > maximumTimes) parts.push(pluralize(times.length - maximumTimes, 'more time'));
  const lacks = refused === 0 ? '' : `: ${pluralize(refused, 'request')} got a 503 without a journal entry`;
  return `The store was unavailable ${joinWords(parts)}${lacks || ', so the run is incomplete'}.`;
}

/** Merges overlapping outages, because each replica and each sandbox reports its own. */
function joined(outages: readonly Outage[]): Pick<Outage, 'fromMs' | 'toMs'>[] {
  const times: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of [...outages].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = times.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else times.push({ fromMs, toMs });
  }
  return times;
}
