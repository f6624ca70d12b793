import type { Simulator } from '../simulator/simulator.js';
import { createFilter, type EntryQuery, findEntries } from './find-entries.js';

/**
 * Waits until `count` journal entries match a query. Existing entries count too.
 * @param timeoutMs real time, because the simulated clock may be frozen
 * @returns the number of matching entries at the end of the wait
 */
export function waitForEntries(
  sim: Simulator,
  query: EntryQuery,
  count: number,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<number> {
  let found = findEntries(sim, query).length;
  if (found >= count || signal?.aborted) return Promise.resolve(found);
  const isFound = createFilter(sim, query);
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stop();
      signal?.removeEventListener('abort', finish);
      resolve(found);
    };
    const timer = setTimeout(finish, timeoutMs);
    const stop = sim.journal.listen((entry) => {
      if (isFound(entry)) found++;
      if (found >= count) finish();
    });
    signal?.addEventListener('abort', finish);
  });
}
