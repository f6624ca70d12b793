import type { Simulator } from '../simulator/simulator.js';
import { notFound } from './control-error.js';
import type { AnyControlOperation, Caller } from './control-operation.js';
import { controlOperations } from './control-operations.js';
import { perform } from './perform.js';

/** A control request without a connection. */
export interface ControlRequest {
  method: string;
  /** Below the control URL, with its query: `/keys/free-key/ban`. */
  path: string;
  body?: object | undefined;
}

/**
 * Answers a control request in this process as the server would: what the operation gives.
 * @throws {ControlError} as `perform` does, and 404 for a path that no operation has
 */
export function requestControl(sim: Simulator, { method, path, body }: ControlRequest, caller?: Caller): unknown {
  const [target = '', query = ''] = path.split('?');
  for (const operation of Object.values<AnyControlOperation>(controlOperations)) {
    const values = operation.method === method ? match(operation.path, target) : undefined;
    if (values === undefined) continue;
    return perform(operation, sim, { ...body, ...values, ...Object.fromEntries(new URLSearchParams(query)) }, caller);
  }
  throw notFound('There is no such control path; getControlDescription lists them.');
}

/** The parts of a path that a pattern such as `/keys/{key}` names; `undefined` where it does not fit. */
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
