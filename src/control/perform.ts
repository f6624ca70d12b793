import { checkWith, toIssues } from '../scenario/check-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { checkInSteps } from '../schema/check-in-steps.js';
import { joinIssues } from '../schema/issue.js';
import type { SchemaIssue } from '../schema/schema.js';
import { maskedKey } from '../values/mask-key.js';
import type { Steps } from '../values/steps.js';
import { type ControlError, invalid, toControlError } from './control-error.js';
import type { AnyControlOperation, Caller } from './control-operation.js';
import type { EntryTexts } from './entry-stream.js';
import { noteChange } from './note-change.js';

/**
 * Checks the input of an operation and runs it: what every adapter does.
 * @throws {ControlError} for a mistake of the caller; where the operation waits, as the rejection of its promise
 */
export function perform<Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  caller: Caller = {},
): unknown {
  try {
    const checked = checkInput(operation, input);
    const note = noteChange(operation, target, input, caller);
    const result = operation.run(target, checked, caller);
    if (!(result instanceof Promise)) {
      note?.();
      return result;
    }
    return result.catch((error) => {
      throw toControlError(error);
    });
  } catch (error) {
    throw toControlError(error);
  }
}

/** As `perform`, in steps: for a large input. @throws {ControlError} as `perform` does */
export function* performInSteps<Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  caller: Caller,
): Steps<unknown> {
  if (operation.steps === undefined) return perform(operation, target, input, caller);
  try {
    const found: SchemaIssue[] = [];
    const checked = yield* checkInSteps(operation.input, input, found);
    if (found.length > 0) throw refusedInput(new ScenarioError(toIssues(found), 'input'), input);
    const note = noteChange(operation, target, input, caller);
    const result = yield* operation.steps(target, checked);
    note?.();
    return result;
  } catch (error) {
    throw toControlError(error);
  }
}

/**
 * The result of an operation that has `pieces`, as text in pieces.
 * @throws {ControlError} as `perform` does
 */
export const performInPieces = <Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  caller: Caller,
): Iterable<string | undefined> =>
  orControlError(() => operation.pieces?.(target, checkInput(operation, input), caller) ?? []);

/**
 * The result of an operation that has `texts`.
 * @throws {ControlError} as `perform` does
 */
export const performInTexts = <Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
): EntryTexts | undefined => orControlError(() => operation.texts?.(target, checkInput(operation, input)));

function orControlError<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw toControlError(error);
  }
}

/** @throws {ControlError} naming every mistake */
export function checkInput({ input: schema }: AnyControlOperation, input: unknown): unknown {
  try {
    return checkWith(schema, input, 'input');
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    throw refusedInput(error, input);
  }
}

function refusedInput({ issues }: ScenarioError, input: unknown): ControlError {
  const { key } = input as { key?: unknown };
  const text = joinIssues(issues, '');
  return invalid(typeof key === 'string' && key.length > 4 ? text.replaceAll(key, () => maskedKey(key)) : text);
}
