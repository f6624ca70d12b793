import { checkWith } from '../scenario/check-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { checkInSteps } from '../validation/check-in-steps.js';
import { joinIssues } from '../validation/issue.js';
import { type AnySchema, type SchemaIssue, toIssues } from '../validation/schema.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { replaceKey } from '../values/text-finder.js';
import { ControlError, invalid, toControlError } from './control-error.js';
import type { AnyControlOperation, Caller } from './control-operation.js';
import type { EntryFeed } from './entry-stream.js';
import { computeLazyParts } from './lazy-result.js';
import { recordChange } from './record-change.js';

/**
 * Checks the input of a control operation, runs the operation to its end, and returns the complete result.
 * @throws {ControlError} for a caller's mistake; an asynchronous operation rejects instead
 */
export const perform = <Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  caller: Caller = {},
): unknown => computeLazyParts(runToEnd(performInSteps(operation, target, input, caller, false)));

/**
 * Checks the input of a control operation and runs the operation in steps. A server handles other requests between the
 * steps.
 * @param isLarge whether the input is also checked in steps
 * @returns result of the operation; `jsonPieces` may compute large parts of the result later, while it writes them
 * @throws {ControlError} for a caller's mistake; an asynchronous operation rejects instead
 */
export function* performInSteps<Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  caller: Caller,
  isLarge = true,
): Steps<unknown> {
  try {
    const checked = isLarge ? yield* checkInputInSteps(operation, target, input) : checkInput(operation, target, input);
    const note = recordChange(operation, target, input, caller);
    const returned = operation.run(target, checked, caller);
    const result = isSteps(returned) ? yield* returned : returned;
    if (result instanceof Promise) {
      return result.catch((error) => {
        throw maskKey(toControlError(error), input);
      });
    }
    note?.();
    return result;
  } catch (error) {
    throw maskKey(toControlError(error), input);
  }
}

/** Masks the API key of an input in the message of an error about this input. */
function maskKey(error: unknown, input: unknown): unknown {
  const { key } = Object(input) as { key?: unknown };
  if (!(error instanceof ControlError) || error.status !== 400 || typeof key !== 'string') return error;
  return invalid(replaceKey(error.message, key));
}

const isSteps = (value: unknown): value is Steps<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;

/**
 * Opens a control operation's stream of journal entries (received requests). Returns `undefined` for an operation
 * without a stream.
 * @throws {ControlError} for an invalid input
 */
export const openEntryFeed = <Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
): EntryFeed | undefined => operation.feed?.(target, checkInput(operation, target, input));

/**
 * Checks the input of a control operation.
 * @throws {ControlError} with every mistake
 */
export function checkInput<Target>(operation: AnyControlOperation<Target>, target: Target, input: unknown): unknown {
  try {
    return checkWith(inputOf(operation, target), input, 'input');
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    throw refusedInput(error, input);
  }
}

const inputOf = <Target>(operation: AnyControlOperation<Target>, target: Target): AnySchema =>
  operation.inputOf?.(target) ?? operation.input;

function* checkInputInSteps<Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
): Steps<unknown> {
  const issues: SchemaIssue[] = [];
  const checked = yield* checkInSteps(inputOf(operation, target), input, issues);
  if (issues.length > 0) throw refusedInput(new ScenarioError(toIssues(issues), 'input'), input);
  return checked;
}

const refusedInput = ({ issues }: ScenarioError, input: unknown) => maskKey(invalid(joinIssues(issues, '')), input);
