import { availableParallelism } from 'node:os';

/**
 * Does one job after another on several lanes; the results are in the order of the jobs.
 * @param lanes default: as many as there are processors
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  onDone: (done: number) => void,
  lanes = availableParallelism(),
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let done = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as Item);
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
