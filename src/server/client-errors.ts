import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AnsweredRequest } from '../http/served-answer.js';
import { errorBody } from '../requests/api-error.js';

/** Time that a client with a rejected request has to read the response. Then the server closes the connection. */
const lingerMs = 1_000;

/** First byte of a TLS connection: the record type of a ClientHello (RFC 8446 section 5.1). */
const tlsHandshake = 0x16;

/** Error of Node's HTTP parser, with its additional fields. */
type ParserError = NodeJS.ErrnoException & { reason?: string; rawPacket?: Uint8Array };

/** Called for each error response that the server sends without a `ServerResponse`. */
export type OnRefused = (request: AnsweredRequest, status: number, body: string) => void;

/**
 * Creates the responses to input that Node's HTTP parser rejects, such as malformed HTTP. The connection closes after
 * such a response.
 */
export function createClientErrors(onRefused: OnRefused) {
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
    const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    socket.on('error', () => socket.destroy());
    socket.end(`${head}\r\nConnection: close\r\n\r\n${body}`);
    // Waits before it closes a rejected connection. Unread input would cause a reset, and the client could lose the
    // response.
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer)).resume();
    onRefused(request, status, body);
  }

  return {
    /** Responds to malformed, slow or oversized requests. Listener for Node's event `clientError`. */
    answer(error: ParserError, socket: Socket): void {
      // Ignores a further parser error on the connection, because the connection has already received an error
      // response.
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
    /** Responds to CONNECT requests with an error. Listener for Node's event `connect`. */
    refuseConnect(request: IncomingMessage, socket: Socket): void {
      refuse(socket, 405, 'method_not_allowed', 'Method CONNECT is not supported; this is not a proxy.', request);
    },
  };
}

function messageOf({ reason, rawPacket }: ParserError): string {
  if (rawPacket?.[0] === tlsHandshake) return 'The connection begins with TLS; call this server by http, not https.';
  return `The request is not valid HTTP/1.1${reason === undefined ? '' : `: ${reason}`}.`;
}
