/** Work divided into steps; the generator returns the result. A server can handle requests between two steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs all steps of a task without a pause and returns the result. */
export function runToEnd<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Maps a list like `items.map`, as a task with one step per item. */
export function* mapInSteps<Item, Mapped>(
  items: readonly Item[],
  map: (item: Item, index: number) => Mapped,
): Steps<Mapped[]> {
  const mapped: Mapped[] = [];
  for (const [index, item] of items.entries()) {
    mapped.push(map(item, index));
    yield;
  }
  return mapped;
}
