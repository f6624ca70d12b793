import { checkWith } from '../scenario/check-form.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { complaints, invalid, toControlError } from './control-error.js';
import { maskedKey } from './masked-key.js';
import type { AnyOperation } from './operation.js';

/**
 * Checks the input of an operation and runs it: what every door does.
 * @throws {ControlError} for whatever the caller did wrong, then or as the rejection of a promise
 */
export function perform<Target>(
  operation: AnyOperation<Target>,
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

function checkInput({ input: schema }: AnyOperation, input: unknown): unknown {
  try {
    return checkWith(schema, input);
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
    const { key } = input as { key?: unknown };
    const text = complaints('', error.problems);
    throw invalid(typeof key === 'string' && key.length > 4 ? text.replaceAll(key, () => maskedKey(key)) : text);
  }
}
