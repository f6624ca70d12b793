import { availableParallelism } from 'node:os';

interface ParallelOptions {
  /** Callback after each finished job. Its argument is the number of jobs that have finished. */
  onDone: (done: number) => void;
  /** Number of concurrent jobs. Default: the number of processors. */
  concurrency?: number;
  /** Signal after which no further job is started and pending results are discarded. */
  stopped?: AbortSignal | undefined;
}

/**
 * Runs asynchronous jobs concurrently.
 * @returns the results in the order of the jobs; `undefined` for jobs that were not finished when the run was stopped
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { onDone, concurrency = availableParallelism(), stopped }: ParallelOptions,
): Promise<(Result | undefined)[]> {
  const results: (Result | undefined)[] = [];
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      const result = await work(items[index] as Item);
      if (stopped?.aborted) return;
      results[index] = result;
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return results;
}
