import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from '../../contract/api-error.js';

/** How long a refused client may read the answer and send what it has begun, until its connection is closed. */
const lingerMs = 1_000;

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers what `node:http` has no response object for, with the Error object, and then closes the connection. */
export function createClientErrors() {
  const refused = new WeakSet<Socket>();

  function refuse(socket: Socket, status: number, code: string, message: string): void {
    refused.add(socket);
    const body = errorBody({ status, code, message });
    const head = `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    socket.on('error', () => socket.destroy());
    socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
    // To close at once, with bytes unread, would reset the connection, and could take the answer from the client.
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer)).resume();
  }

  return {
    /** For the event `clientError`: what is not HTTP, or too slow, or too large in its headers. */
    answer(error: NodeJS.ErrnoException, socket: Socket): void {
      // The rest of what was refused.
      if (refused.has(socket)) return;
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
      } else if (error.code === 'HPE_HEADER_OVERFLOW') {
        refuse(socket, 431, 'invalid_request', 'The request headers are larger than 16 KiB.');
      } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
        refuse(socket, 408, 'invalid_request', 'The request took too long to arrive.');
      } else {
        refuse(socket, 400, 'invalid_request', 'The request is not valid HTTP/1.1.');
      }
    },
    /** For the event `connect`. */
    refuseConnect(_request: IncomingMessage, socket: Socket): void {
      refuse(socket, 405, 'method_not_allowed', 'Method CONNECT is not supported; this is not a proxy.');
    },
  };
}
