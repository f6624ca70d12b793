import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer } from '../../adapters/api-call.js';
import type { WireFault } from '../../faults/fault-rule.js';
import type { Clock } from '../../state/clock.js';

/** A signal that is aborted when the client has gone before its answer was sent. */
export function goneSignal({ socket }: IncomingMessage, response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const gone = () => controller.abort();
  if (response.destroyed || socket.destroyed) {
    gone();
    return controller.signal;
  }
  response.once('close', gone);
  // An answer that waits for those before it on the connection has no socket yet, and is not told of its end.
  if (response.socket === null) {
    socket.setMaxListeners(socket.getMaxListeners() + 1);
    socket.once('close', gone);
  }
  return controller.signal;
}

/** What one server needs to send answers with faults that are real on the wire. */
export interface WireFaults {
  /** Every connection that a fault corrupts (`drip` does not) ends with it. */
  send(
    request: IncomingMessage,
    response: ServerResponse,
    answer: Answer,
    wire: WireFault,
    cors: Record<string, string> | undefined,
  ): void;
  /** Whether a request came behind a corrupted answer on the same connection: a server that is gone does not read it. */
  isLost(request: IncomingMessage): boolean;
}

export function createWireFaults(clock: Clock): WireFaults {
  const corrupted = new WeakSet<Socket>();
  return {
    isLost: ({ socket }) => corrupted.has(socket),
    send(request, response, answer, wire, cors) {
      const body = Buffer.from(answer.body);
      const writeHead = (contentLength: number) => {
        response.writeHead(answer.status, { ...answer.headers, 'Content-Length': contentLength, ...cors });
        response.flushHeaders();
      };
      if (wire.kind !== 'drip') corrupted.add(request.socket);
      switch (wire.kind) {
        case 'reset':
          return inTurn(response, (socket) => socket.resetAndDestroy());
        case 'close':
          return inTurn(response, () => hangUp(request));
        case 'hang':
          // The client decides how long it waits; when it goes, or the server closes or is reset, the socket goes.
          clock.sleep(Number.POSITIVE_INFINITY, goneSignal(request, response)).catch(() => response.destroy());
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
          drip(response, body, wire, clock, goneSignal(request, response)).then(
            () => answer.finish?.(true),
            () => {
              answer.finish?.(false);
              response.destroy();
            },
          );
      }
    },
  };
}

/** Waits until the answers before this one on the connection have been sent. */
function inTurn(response: ServerResponse, act: (socket: Socket) => void): void {
  if (response.socket !== null) act(response.socket);
  else response.once('socket', act);
}

/** An orderly end of the connection: FIN, whatever the client still sends is read, and then the socket is freed. */
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
  gone: AbortSignal,
): Promise<void> {
  for (let at = 0; at < body.length; at += bytes) {
    if (at > 0) await clock.sleep(everyMs, gone);
    response.write(body.subarray(at, at + bytes));
  }
  response.end();
}
