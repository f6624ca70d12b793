import type { Simulator } from '../simulator/simulator.js';
import { type EntryQuery, findEntries } from './find-entries.js';

/**
 * Waits until so many entries of the journal meet a query, those that it holds already among them.
 * @param timeoutMs in real time, because the clock of the simulator may stand still
 * @returns how many meet it, at the end of the wait
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
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stop();
      signal?.removeEventListener('abort', finish);
      resolve(found);
    };
    const timer = setTimeout(finish, timeoutMs);
    const stop = sim.journal.listen(({ id }) => {
      // Looks at the new one alone, and at its text last.
      const since = Math.max(query.since ?? 0, id - 1);
      if (findEntries(sim, { ...query, since }).some((entry) => entry.id === id)) found++;
      if (found >= count) finish();
    });
    signal?.addEventListener('abort', finish);
  });
}
