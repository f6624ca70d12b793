import type { ServerResponse } from 'node:http';
import type { ServedSimulators } from '../../control-api/served-simulators.js';

/**
 * Counts an open response as use of its sandbox, so that the sandbox is not removed as idle. Finds the sandbox
 * regularly, because each read of a sandbox counts as use.
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
