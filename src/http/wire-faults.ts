import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock/clock.js';
import { headerPairs } from '../in-process/to-response.js';
import type { Answer } from '../requests/api-call.js';
import { isSent, type SendPlan, sendPlan, type WireFault } from '../requests/wire-fault.js';
import type { EndResponse } from './end-in-batch.js';
import { sendResponse } from './send-response.js';

/** Returns a signal that is aborted when the client disconnects before its response is sent. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed || response.socket?.destroyed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}

export interface Delivery {
  answer: Answer;
  cors: Readonly<Record<string, string>> | undefined;
  clock: Clock;
  /**
   * Function that writes the body and ends the response. Not called if a fault rule damages the response's bytes or the
   * connection. Default: writes immediately.
   */
  end?: EndResponse;
}

/** Sends a response, including the damage that a fault does to the connection or the bytes. */
export function deliver(request: IncomingMessage, response: ServerResponse, delivery: Delivery): void {
  const { answer, cors, end } = delivery;
  if (answer.wire === undefined) sendResponse(response, answer, cors, end);
  else sendWithFault(request, response, answer.wire, delivery);
}

/**
 * Sends a response with a fault in the connection or the bytes. A fault that cuts the response ends the connection, and
 * later requests on it are not handled.
 */
function sendWithFault(
  request: IncomingMessage,
  response: ServerResponse,
  wire: WireFault,
  { answer, cors, clock }: Delivery,
): void {
  if (request.method === 'HEAD' && isSent(wire)) {
    sendResponse(response, answer, cors);
    answer.finish?.(true);
    return;
  }
  const body = answer.raw instanceof Uint8Array ? Buffer.from(answer.raw) : Buffer.from(answer.body);
  switch (wire.kind) {
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'close':
      hangUp(request);
      return;
    case 'hang':
      // Never responds, so that the client times out. The socket closes when the client disconnects, the server closes
      // or the simulator is reset.
      clock.sleep(Number.POSITIVE_INFINITY, disconnectSignal(response)).catch(() => response.destroy());
      return;
  }
  const plan = sendPlan(wire, body.length);
  const fields = { ...answer.headers, 'Content-Length': String(plan.declaredLength ?? body.length), ...cors };
  response.writeHead(answer.status, headerPairs(fields).flat());
  response.flushHeaders();
  sendPieces(request, response, body, plan, clock).then(
    () => answer.finish?.(true),
    () => {
      answer.finish?.(false);
      response.destroy();
    },
  );
}

/** Closes a connection without a reset: sends a FIN, reads the remaining input, then closes the socket. */
function hangUp(request: IncomingMessage): void {
  const { socket } = request;
  socket.end();
  // Closing with unread input would reset the connection, so the input is read first.
  if (request.readableEnded) socket.destroySoon();
  else request.once('end', () => socket.destroySoon()).resume();
}

async function sendPieces(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  { pieces, isCut }: SendPlan,
  clock: Clock,
): Promise<void> {
  const disconnected = disconnectSignal(response);
  let from = 0;
  for (const { afterMs, to } of pieces) {
    if (afterMs > 0) await clock.sleep(afterMs, disconnected);
    response.write(body.subarray(from, to));
    from = to;
  }
  if (isCut) response.write('', () => hangUp(request));
  else response.end();
}
