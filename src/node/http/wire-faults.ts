import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock/clock.js';
import { headerPairs } from '../../in-process/to-response.js';
import type { Answer } from '../../requests/api-call.js';
import { isWithoutAnswer, type WireFault } from '../../requests/outcome.js';
import { sendAnswer } from './send-answer.js';

/** A signal that is aborted when the client leaves before its answer is sent. */
export function goneSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed || response.socket?.destroyed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}

export interface Delivery {
  answer: Answer;
  cors: Readonly<Record<string, string>> | undefined;
  clock: Clock;
}

/** Sends an answer, with its fault if it has one. */
export function deliver(request: IncomingMessage, response: ServerResponse, delivery: Delivery): void {
  const { answer, cors } = delivery;
  if (answer.wire === undefined) sendAnswer(response, answer, cors);
  else sendWithFault(request, response, answer.wire, delivery);
}

/**
 * Sends an answer with a fault that is real on the wire. Every connection that a fault corrupts (`drip` does not) ends
 * with it; requests behind it are not served.
 */
function sendWithFault(
  request: IncomingMessage,
  response: ServerResponse,
  wire: WireFault,
  { answer, cors, clock }: Delivery,
): void {
  if (request.method === 'HEAD' && !isWithoutAnswer(wire)) {
    sendAnswer(response, answer, cors);
    answer.finish?.(true);
    return;
  }
  const body = answer.raw instanceof Uint8Array ? Buffer.from(answer.raw) : Buffer.from(answer.body);
  const writeHead = (contentLength: number) => {
    const fields = { ...answer.headers, 'Content-Length': String(contentLength), ...cors };
    response.writeHead(answer.status, headerPairs(fields).flat());
    response.flushHeaders();
  };
  switch (wire.kind) {
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'close':
      hangUp(request);
      return;
    case 'hang':
      // The client decides how long it waits; when it leaves, or the server closes or is reset, the socket is closed.
      clock.sleep(Number.POSITIVE_INFINITY, goneSignal(response)).catch(() => response.destroy());
      return;
    case 'truncate':
      writeHead(body.length);
      response.write(body.subarray(0, wire.bytes), () => hangUp(request));
      return;
    case 'contentLength':
      writeHead(wire.value);
      response.write(body, () => hangUp(request));
      return;
    case 'drip':
      writeHead(body.length);
      drip(response, body, wire, clock).then(
        () => answer.finish?.(true),
        () => {
          answer.finish?.(false);
          response.destroy();
        },
      );
  }
}

/** Ends a connection in order: sends a FIN, reads what the client still sends, and then frees the socket. */
function hangUp(request: IncomingMessage): void {
  const { socket } = request;
  socket.end();
  // Bytes that nobody has read would turn the end into a reset.
  if (request.readableEnded) socket.destroySoon();
  else request.once('end', () => socket.destroySoon()).resume();
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
