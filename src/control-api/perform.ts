import { checkWith, toIssues } from '../scenario/check-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { checkInSteps } from '../validation/check-in-steps.js';
import { joinIssues } from '../validation/issue.js';
import type { SchemaIssue } from '../validation/schema.js';
import { runToEnd, type Steps } from '../values/steps.js';
import { replaceKey } from '../values/text-finder.js';
import { ControlError, invalid, toControlError } from './control-error.js';
import type { AnyControlOperation, Caller } from './control-operation.js';
import type { EntryTexts } from './entry-stream.js';
import { makeWhole } from './lazy-result.js';
import { recordChange } from './record-change.js';

/**
 * Checks the input of an operation and runs it: what every adapter does.
 * @throws {ControlError} for a mistake of the caller; where the operation waits, as the rejection of its promise
 */
export const perform = <Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  caller: Caller = {},
): unknown => makeWhole(runToEnd(performInSteps(operation, target, input, caller, false)));

/**
 * As `perform`, in steps. Parts of the result may be lazy: `jsonPieces` writes them.
 * @param isLarge whether the input is so large that its check takes long
 * @throws {ControlError} as `perform` does
 */
export function* performInSteps<Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  caller: Caller,
  isLarge = true,
): Steps<unknown> {
  try {
    const checked = isLarge ? yield* checkInputInSteps(operation, input) : checkInput(operation, input);
    const note = recordChange(operation, target, input, caller);
    const returned = operation.run(target, checked, caller);
    const result = isSteps(returned) ? yield* returned : returned;
    if (result instanceof Promise) {
      return result.catch((error) => {
        throw withoutKey(toControlError(error), input);
      });
    }
    note?.();
    return result;
  } catch (error) {
    throw withoutKey(toControlError(error), input);
  }
}

/** Masks the key of an input in the message of an error about that input. */
function withoutKey(error: unknown, input: unknown): unknown {
  const { key } = Object(input) as { key?: unknown };
  if (!(error instanceof ControlError) || error.status !== 400 || typeof key !== 'string') return error;
  return invalid(replaceKey(error.message, key));
}

const isSteps = (value: unknown): value is Steps<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;

/**
 * The result of an operation that has `texts`.
 * @throws {ControlError} as `perform` does
 */
export const performInTexts = <Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
): EntryTexts | undefined => operation.texts?.(target, checkInput(operation, input));

/** @throws {ControlError} naming every mistake */
export function checkInput({ input: schema }: AnyControlOperation, input: unknown): unknown {
  try {
    return checkWith(schema, input, 'input');
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    throw refusedInput(error, input);
  }
}

function* checkInputInSteps({ input: schema }: AnyControlOperation, input: unknown): Steps<unknown> {
  const found: SchemaIssue[] = [];
  const checked = yield* checkInSteps(schema, input, found);
  if (found.length > 0) throw refusedInput(new ScenarioError(toIssues(found), 'input'), input);
  return checked;
}

const refusedInput = ({ issues }: ScenarioError, input: unknown) => withoutKey(invalid(joinIssues(issues, '')), input);
