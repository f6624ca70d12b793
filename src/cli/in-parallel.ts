import { availableParallelism } from 'node:os';

/** Does one job after another on as many lanes as there are processors; the results are in the order of the jobs. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  onDone: (done: number) => void,
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
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return results;
}
