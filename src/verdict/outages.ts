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
const sinceMs = ({ arrivedAtMs, told, triedAfter, triedAfterOutage }: JudgedRequest) =>
  Math.min(...[told, triedAfter, triedAfterOutage].map((before) => before?.arrivedAtMs ?? arrivedAtMs), arrivedAtMs);

/** Why a run with outages is not known as a whole. */
export function describeOutages(outages: readonly Outage[]): string {
  const refused = outages.reduce((sum, outage) => sum + outage.refused, 0);
  const [first, last] = [outages[0] as Outage, outages.at(-1) as Outage];
  const time = (ms: number) => new Date(ms).toISOString();
  return `The store was away between ${time(first.fromMs)} and ${time(last.toMs)}: ${counted(refused, 'request')} got a 503 that the journal does not show.`;
}
