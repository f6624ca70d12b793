import type { FindingCode } from '../scenario/expectation.js';
import type { Outage } from '../state/outage.js';
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
  const arrivals = new Map(requests.map(({ id, arrivedAtMs }) => [id, arrivedAtMs]));
  return ({ code, requests: ids }) => {
    const instants = ids.map((id) => arrivals.get(id) ?? 0);
    const firstMs = Math.min(...instants);
    const lastMs = absences.has(code) ? Number.POSITIVE_INFINITY : Math.max(...instants);
    return outages.some(({ fromMs, toMs }) => firstMs <= toMs && lastMs >= fromMs);
  };
}

/** Why a run with outages is not known as a whole. */
export function describeOutages(outages: readonly Outage[]): string {
  const refused = outages.reduce((sum, outage) => sum + outage.refused, 0);
  const [first, last] = [outages[0] as Outage, outages.at(-1) as Outage];
  const time = (ms: number) => new Date(ms).toISOString();
  return `The store was away between ${time(first.fromMs)} and ${time(last.toMs)}: ${counted(refused, 'request')} got a 503 that the journal does not show.`;
}
