import type { Simulator } from '../simulator/simulator.js';
import { notFound } from './control-error.js';
import type { Caller } from './control-operation.js';
import { perform } from './perform.js';
import type { ControlOperations } from './served-service.js';

/** Control request without HTTP: method, path and input. */
export interface ControlRequest {
  method: string;
  /** Path and query below the control URL: `/keys/free-key/ban`. */
  path: string;
  body?: object | undefined;
}

/**
 * Runs a control request in this process, without HTTP. @returns the result of the operation
 * @throws {ControlError} as `perform` does, and 404 for an unknown path
 */
export function requestControl(
  operations: ControlOperations,
  sim: Simulator,
  { method, path, body }: ControlRequest,
  caller?: Caller,
): unknown {
  const [target = '', query = ''] = path.split('?');
  for (const operation of Object.values(operations)) {
    const values = operation.method === method ? match(operation.path, target) : undefined;
    if (values === undefined) continue;
    return perform(operation, sim, { ...body, ...values, ...Object.fromEntries(new URLSearchParams(query)) }, caller);
  }
  throw notFound('Unknown control path; getControlDescription lists all paths.');
}

/**
 * Matches a path against a pattern such as `/keys/{key}`. @returns the values in braces, or `undefined` without a match
 */
function match(pattern: string, path: string): Record<string, string> | undefined {
  const names = pattern.split('/');
  const parts = path.split('/');
  if (names.length !== parts.length) return undefined;
  const values: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const part = parts[index] as string;
    if (name.startsWith('{')) values[name.slice(1, -1)] = decodeURIComponent(part);
    else if (name !== part) return undefined;
  }
  return values;
}
