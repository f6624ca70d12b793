import type { ServerResponse } from 'node:http';
import type { Backend } from '../../control-api/backend.js';

/** Keeps a sandbox in use until the answer to somebody who watches it ends: with a log only what is written in it counts. */
export function keepInUse(sandbox: string, { sandboxes, readSandbox }: Backend, response: ServerResponse): void {
  const { renewalMs } = sandboxes;
  if (renewalMs === Number.POSITIVE_INFINITY) return;
  const timer = setInterval(() => readSandbox(sandbox), renewalMs).unref();
  response.once('close', () => clearInterval(timer));
}
