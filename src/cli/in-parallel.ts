import { availableParallelism } from 'node:os';

interface ParallelOptions<Result> {
  /** Callback after each finished job, with the number of finished jobs and the job's result. */
  onDone: (done: number, result: Result) => void;
  /** Number of concurrent jobs. Default: the number of processors. */
  concurrency?: number;
  /** Whether a job runs once more for its result, alone and after all other jobs. Default: no job does. */
  runsAgain?: (result: Result) => boolean;
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
  { onDone, concurrency = availableParallelism(), runsAgain = () => false, stopped }: ParallelOptions<Result>,
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
      onDone(++done, result);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  for (const [index, item] of items.entries()) {
    const result = results[index];
    if (stopped?.aborted || result === undefined || !runsAgain(result)) continue;
    const again = await work(item);
    if (!stopped?.aborted) results[index] = again;
  }
  return results;
}
