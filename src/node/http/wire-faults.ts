import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../clock/clock.js';
import type { Answer } from '../../requests/api-call.js';
import { isWithoutAnswer, type WireFault } from '../../requests/outcome.js';
import { sendAnswer } from './send-answer.js';

/** Signal that is aborted when the client disconnects before its response is sent. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed || response.socket?.destroyed) controller.abort();
  else response.once('close', () => controller.abort());
  return controller.signal;
}

interface FaultyAnswer {
  answer: Answer;
  wire: WireFault;
  cors: Readonly<Record<string, string>> | undefined;
  clock: Clock;
}

/**
 * Sends a response with a real fault on the wire. Faults that corrupt the connection (all except `drip`) end it; later
 * requests on the connection are not handled.
 */
export function sendWithFault(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, wire, cors, clock }: FaultyAnswer,
): void {
  if (request.method === 'HEAD' && !isWithoutAnswer(wire)) {
    sendAnswer(response, answer, cors);
    answer.finish?.(true);
    return;
  }
  const body = Buffer.from(answer.body);
  const writeHead = (contentLength: number) => {
    response.writeHead(answer.status, { ...answer.headers, 'Content-Length': contentLength, ...cors });
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
      // The client's timeout decides. The socket closes when the client disconnects, the server closes or the simulator
      // is reset.
      clock.sleep(Number.POSITIVE_INFINITY, disconnectSignal(response)).catch(() => response.destroy());
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

/** Ends a connection in order: sends a FIN, reads the remaining input, then closes the socket. */
function hangUp(request: IncomingMessage): void {
  const { socket } = request;
  socket.end();
  // Unread input would turn the end into a reset.
  if (request.readableEnded) socket.destroySoon();
  else request.once('end', () => socket.destroySoon()).resume();
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  { bytes, everyMs }: { bytes: number; everyMs: number },
  clock: Clock,
): Promise<void> {
  const gone = disconnectSignal(response);
  for (let at = 0; at < body.length; at += bytes) {
    if (at > 0) await clock.sleep(everyMs, gone);
    response.write(body.subarray(at, at + bytes));
  }
  response.end();
}
