import type { ServerResponse } from 'node:http';
import type { Backend } from '../../control-api/backend.js';

/** Extends the idle time of a sandbox until a response ends. With a log, only logged commands count as use. */
export function keepInUse(sandbox: string, { sandboxes, readSandbox }: Backend, response: ServerResponse): void {
  const { renewalMs } = sandboxes;
  if (renewalMs === Number.POSITIVE_INFINITY) return;
  const timer = setInterval(() => readSandbox(sandbox), renewalMs).unref();
  response.once('close', () => clearInterval(timer));
}
