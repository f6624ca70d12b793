import type { LeftOutEntry, PendingExchange } from './exchange.js';
import type { NetworkSigns } from './recorded-entry.js';

/** Entry of a file, with the signs that it is no request to the service. */
export interface Draft {
  readonly pending: PendingExchange;
  readonly signs: NetworkSigns;
}

/** Maximum difference between the times of a service worker's request and of the page's request. */
const workerMs = 20;

/**
 * Selects the entries of a file that are no requests to the service. Of the responses of a service worker, a 429 or 503
 * counts as a request unless the worker's own request is in the file as well.
 */
export function* selectLeftOut(
  drafts: readonly Draft[],
  { hasTimes }: { readonly hasTimes: boolean },
): Generator<[PendingExchange, Omit<LeftOutEntry, 'exchange'>]> {
  const twins = new Set<PendingExchange>();
  for (const { pending, signs } of drafts) {
    const { stated, isByWorker, ifTimed } = signs;
    const reason = stated ?? (hasTimes ? ifTimed : undefined);
    if (reason !== undefined) yield [pending, { reason, mayBeRequest: false }];
    else if (isByWorker) {
      const twin = drafts.find(
        (other) => !other.signs.isByWorker && !twins.has(other.pending) && isWithin(other, pending),
      );
      if (twin !== undefined) twins.add(twin.pending);
      const mayBeRequest = twin === undefined;
      if (!mayBeRequest || (pending.status !== 429 && pending.status !== 503))
        yield [pending, { reason: 'answered by a service worker', mayBeRequest }];
    }
  }
}

/** Whether an entry may be the request that a service worker sent for the page's request. */
function isWithin({ pending: inner, signs }: Draft, outer: PendingExchange): boolean {
  return (
    signs.stated === undefined &&
    inner.method === outer.method &&
    inner.status === outer.status &&
    inner.baseUrl + inner.path === outer.baseUrl + outer.path &&
    inner.query === outer.query &&
    inner.arrivedAtMs >= outer.arrivedAtMs - workerMs &&
    inner.answeredAtMs <= outer.finishedAtMs + workerMs
  );
}
