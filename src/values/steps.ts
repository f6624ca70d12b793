/** Work divided into steps; the generator returns the result. A server can handle requests between two steps. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Runs all steps of a generator without a pause and returns the generator's result. */
export function runToEnd<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/**
 * Maps a list like `Array.prototype.map`, as a generator that pauses after each item. A server can handle other
 * requests during a pause.
 */
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
