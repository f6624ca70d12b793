import { checkWith } from '../scenario/check-scenario.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { maskedKey } from '../values/mask-key.js';
import { formatIssues, invalid, toControlError } from './control-error.js';
import type { AnyControlOperation } from './control-operation.js';

/**
 * Checks the input of an operation and runs it: what every adapter does.
 * @throws {ControlError} for whatever the caller did wrong, then or as the rejection of a promise
 */
export function perform<Target>(
  operation: AnyControlOperation<Target>,
  target: Target,
  input: unknown,
  signal?: AbortSignal,
): unknown {
  try {
    const result = operation.run(target, checkInput(operation, input), signal);
    if (!(result instanceof Promise)) return result;
    return result.catch((error) => {
      throw toControlError(error);
    });
  } catch (error) {
    throw toControlError(error);
  }
}

function checkInput({ input: schema }: AnyControlOperation, input: unknown): unknown {
  try {
    return checkWith(schema, input, 'input');
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const { key } = input as { key?: unknown };
    const text = formatIssues('', error.issues);
    throw invalid(typeof key === 'string' && key.length > 4 ? text.replaceAll(key, () => maskedKey(key)) : text);
  }
}
