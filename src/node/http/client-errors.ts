import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody } from '../../requests/api-error.js';
import type { AnsweredRequest } from './served-answer.js';

/** How long a refused client may read the answer and send what it has begun, until its connection is closed. */
const lingerMs = 1_000;

const reasons: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** The first byte of a TLS connection: its record with the ClientHello (RFC 8446 section 5.1). */
const tlsHandshake = 0x16;

/** What Node adds to an error of its parser. */
type ParserError = NodeJS.ErrnoException & { reason?: string; rawPacket?: Uint8Array };

/** Called for every such answer. */
export type OnRefused = (request: AnsweredRequest, status: number, body: string) => void;

/** Answers what `node:http` has no response object for, with the Error object, and then closes the connection. */
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
    // To close at once, with bytes unread, would reset the connection, and could take the answer from the client.
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer)).resume();
    onRefused?.(request, status, body);
  }

  return {
    /** For the event `clientError`: what is not HTTP, or too slow, or too large in its headers. */
    answer(error: ParserError, socket: Socket): void {
      // The rest of what was refused.
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
    /** For the event `connect`. */
    refuseConnect(request: IncomingMessage, socket: Socket): void {
      refuse(socket, 405, 'method_not_allowed', 'Method CONNECT is not supported; this is not a proxy.', request);
    },
  };
}

function messageOf({ reason, rawPacket }: ParserError): string {
  if (rawPacket?.[0] === tlsHandshake) return 'The connection begins with TLS; call this server by http, not https.';
  return `The request is not valid HTTP/1.1${reason === undefined ? '' : `: ${reason}`}.`;
}
