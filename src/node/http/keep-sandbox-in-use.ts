import type { ServerResponse } from 'node:http';
import type { ServedSimulators } from '../../control-api/served-simulators.js';

/**
 * Prevents the removal of a sandbox as idle while a long response, such as an event stream, is open. Reads the sandbox
 * at a regular interval, because a read counts as use.
 */
export function keepSandboxInUse(
  sandbox: string,
  { sandboxes, readSandbox }: ServedSimulators,
  response: ServerResponse,
): void {
  const { renewalMs } = sandboxes;
  if (renewalMs === Number.POSITIVE_INFINITY) return;
  const timer = setInterval(() => readSandbox(sandbox), renewalMs).unref();
  response.once('close', () => clearInterval(timer));
}
