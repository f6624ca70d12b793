import type { Outage } from '../journal/outage.js';
import type { FindingCode } from '../scenario/expectation.js';
import { counted } from '../values/counted.js';
import type { Finding } from './finding.js';
import type { JudgedRequest } from './run.js';

/** What they find is that something did not come: it may have come while nobody could write it down. */
const absences: ReadonlySet<FindingCode> = new Set<FindingCode>(['gave-up', 'lost-write', 'ignored-day-window']);

/** Whether a finding may be about what happened in an outage, which no journal shows: then nobody can tell. */
export function createIsHidden(
  requests: readonly JudgedRequest[],
  outages: readonly Outage[],
): (found: Finding) => boolean {
  if (outages.length === 0) return () => false;
  const byId = new Map(requests.map((request) => [request.id, request]));
  return ({ code, requests: ids }) => {
    const blamed = ids.flatMap((id) => byId.get(id) ?? []);
    const firstMs = Math.min(...blamed.map(sinceMs));
    const lastMs = absences.has(code)
      ? Number.POSITIVE_INFINITY
      : Math.max(...blamed.map(({ arrivedAtMs }) => arrivedAtMs));
    return outages.some(({ fromMs, toMs }) => firstMs <= toMs && lastMs >= fromMs);
  };
}

/** Since when a request may follow from what the client was told: later, it may have been told something else. */
const sinceMs = ({ arrivedAtMs, lastRefusalRead, retryOf, retryOfOutage }: JudgedRequest) =>
  Math.min(
    ...[lastRefusalRead, retryOf, retryOfOutage].map((before) => before?.arrivedAtMs ?? arrivedAtMs),
    arrivedAtMs,
  );

/** So many times are told of, one by one. */
const mostTimes = 3;

/** Why a run with outages is not known as a whole. */
export function describeOutages(outages: readonly Outage[]): string {
  const refused = outages.reduce((sum, outage) => sum + outage.refused, 0);
  const times = joined(outages);
  const time = (ms: number) => new Date(ms).toISOString();
  const told = times.slice(0, mostTimes).map(({ fromMs, toMs }) => `between ${time(fromMs)} and ${time(toMs)}`);
  if (times.length > mostTimes) told.push(counted(times.length - mostTimes, 'more time'));
  const last = told.length > 1 ? ` and ${told.pop()}` : '';
  const lacks = refused === 0 ? '' : `: ${counted(refused, 'request')} got a 503 that the journal does not show`;
  return `The store was away ${told.join(', ')}${last}${lacks || ', so the run is not known as a whole'}.`;
}

/** The times in their order, those that overlap as one: each replica and each sandbox tells of its own. */
function joined(outages: readonly Outage[]): Pick<Outage, 'fromMs' | 'toMs'>[] {
  const times: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of [...outages].sort((a, b) => a.fromMs - b.fromMs)) {
    const last = times.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else times.push({ fromMs, toMs });
  }
  return times;
}
