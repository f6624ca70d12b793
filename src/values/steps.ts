/** Work in steps, so that others can be served in between: it yields after each, and gives its result at the end. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Does all steps at once. */
export function inOneGo<Result>(steps: Steps<Result>): Result {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}
