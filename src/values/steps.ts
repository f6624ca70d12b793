/** Work in steps, so that others can be served in between: it yields after each, and gives its result at the end. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all steps at once. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** As `items.map`, with a step for each item. */
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
