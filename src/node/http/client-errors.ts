import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from '../../requests/api-error.js';
import type { AnsweredRequest } from './served-answer.js';

/**
 * Time for a rejected client to read the response and finish sending, in milliseconds, before its connection is closed.
 */
const lingerMs = 1_000;

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** First byte of a TLS connection: the record type of a ClientHello (RFC 8446 section 5.1). */
const tlsHandshake = 0x16;

/** Error of Node's HTTP parser, with its additional fields. */
type ParserError = NodeJS.ErrnoException & { reason?: string; rawPacket?: Uint8Array };

/** Called for every such error response. */
export type OnRefused = (request: AnsweredRequest, status: number, body: string) => void;

/**
 * Creates error responses for input without a `ServerResponse`, such as malformed HTTP, and closes the connection after
 * them.
 */
export function createClientErrors(onRefused?: OnRefused) {
  const refused = new WeakSet<Socket>();

  function refuse(
    socket: Socket,
    status: number,
    code: string,
    message: string,
    request: AnsweredRequest = { headers: {} },
  ): void {
    refused.add(socket);
    const body = errorBody({ status, code, message });
    const head = `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    socket.on('error', () => socket.destroy());
    socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
    // Closing at once with unread bytes would reset the connection, and the client could lose the response.
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer)).resume();
    onRefused?.(request, status, body);
  }

  return {
    /** Listener for `clientError`: malformed, slow or oversized requests. */
    answer(error: ParserError, socket: Socket): void {
      // Remaining bytes of a rejected request.
      if (refused.has(socket)) return;
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
      } else if (error.code === 'HPE_HEADER_OVERFLOW') {
        refuse(socket, 431, 'invalid_request', 'The request headers are larger than 16 KiB.');
      } else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
        refuse(socket, 408, 'invalid_request', 'The request took too long to arrive.');
      } else {
        refuse(socket, 400, 'invalid_request', messageOf(error));
      }
    },
    /** Listener for `connect`: rejects CONNECT requests. */
    refuseConnect(request: IncomingMessage, socket: Socket): void {
      refuse(socket, 405, 'method_not_allowed', 'Method CONNECT is not supported; this is not a proxy.', request);
    },
  };
}

function messageOf({ reason, rawPacket }: ParserError): string {
  if (rawPacket?.[0] === tlsHandshake) return 'The connection begins with TLS; call this server by http, not https.';
  return `The request is not valid HTTP/1.1${reason === undefined ? '' : `: ${reason}`}.`;
}
