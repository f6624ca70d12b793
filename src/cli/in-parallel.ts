import { availableParallelism } from 'node:os';

interface ParallelOptions {
  /** Called with how many jobs are done. */
  onDone: (done: number) => void;
  /** Default: as many as there are processors. */
  lanes?: number;
  /** Once aborted no further job begins, and what comes of the others is left out. */
  stopped?: AbortSignal | undefined;
}

/** Does one job after another on several lanes; the results are at the places of the jobs. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { onDone, lanes = availableParallelism(), stopped }: ParallelOptions,
): Promise<(Result | undefined)[]> {
  const results: (Result | undefined)[] = [];
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      const result = await work(items[index] as Item);
      if (stopped?.aborted) return;
      results[index] = result;
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
