import type { ServerResponse } from 'node:http';
import type { Answer } from '../api-call.js';
import type { WireFault } from '../policies/faults.js';
import type { Clock } from '../state/clock.js';

/** A signal that is aborted when the client has gone before its answer was sent. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const gone = () => controller.abort();
  if (response.destroyed) gone();
  else response.once('close', gone);
  return controller.signal;
}

/** Sends an answer with a fault that is real on the wire. Every connection it spoils ends with it. */
export function sendFaulty(
  response: ServerResponse,
  answer: Answer,
  wire: WireFault,
  cors: Record<string, string> | undefined,
  clock: Clock,
): void {
  const { socket } = response;
  const body = Buffer.from(answer.body);
  const writeHead = (contentLength: number) => {
    response.writeHead(answer.status, { ...answer.headers, 'Content-Length': contentLength, ...cors });
    response.flushHeaders();
  };
  switch (wire.kind) {
    case 'reset':
      socket?.resetAndDestroy();
      return;
    case 'close':
      socket?.end();
      return;
    case 'hang':
      // The client decides how long it waits; when it goes, or the server closes, the socket goes.
      return;
    case 'truncate':
      writeHead(body.length);
      response.write(body.subarray(0, wire.bytes), () => socket?.end());
      return;
    case 'contentLength':
      writeHead(wire.value);
      response.write(body, () => socket?.end());
      return;
    case 'drip':
      writeHead(body.length);
      drip(response, body, wire, clock).catch(() => response.destroy());
  }
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  { bytes, everyMs }: { bytes: number; everyMs: number },
  clock: Clock,
): Promise<void> {
  const gone = goneSignal(response);
  for (let at = 0; at < body.length; at += bytes) {
    if (at > 0) await clock.sleep(everyMs, gone);
    response.write(body.subarray(at, at + bytes));
  }
  response.end();
}
