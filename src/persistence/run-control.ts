import type { AnyControlOperation } from '../control-api/control-operation.js';
import { perform } from '../control-api/perform.js';
import { noSandbox } from '../control-api/sandbox-operations.js';
import type { ServedService } from '../control-api/served-service.js';
import type { Sandboxes } from '../sandboxes/sandboxes.js';
import type { Simulator } from '../simulator/simulator.js';
import type { ControlCommand } from './command.js';

/**
 * Runs the control operation that a log entry contains, such as a change of the simulated clock. The log stores all
 * changes of the server's state for a restart.
 * @throws {ControlError} for a mistake in the operation's input
 */
export function runControl(
  { operations, sandboxOperations }: ServedService,
  server: Simulator,
  sandboxes: Sandboxes,
  { sandbox, operation: name, input, origin = '', client }: ControlCommand,
): unknown {
  const caller = { name: client };
  if (Object.hasOwn(sandboxOperations, name)) {
    const operation = sandboxOperations[name] as AnyControlOperation;
    return perform(operation, { sim: server, sandboxes, origin }, input, caller);
  }
  const sim = sandbox === undefined ? server : sandboxes.use(sandbox)?.sim;
  if (sim === undefined) throw noSandbox();
  return perform(operations[name] as AnyControlOperation, sim, input, caller);
}
