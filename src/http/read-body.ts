import type { IncomingMessage, ServerResponse } from 'node:http';
import { maximumBodyBytes } from '../requests/api-error.js';

/** Whether a request has a body (RFC 9112 section 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Whether a client declares a body larger than `maximumBodyBytes`, and sends it only after a 100 (RFC 9110 section
 * 10.1.1).
 */
export const awaitsContinue = ({ headers, httpVersion }: IncomingMessage): boolean =>
  httpVersion === '1.1' &&
  headers.expect?.toLowerCase() === '100-continue' &&
  Number(headers['content-length']) > maximumBodyBytes;

/**
 * Prepares a request that `awaitsContinue`. Sends the 100 only if the body is read, for example for a backend. Without
 * it, the connection closes after the response, because the client may then send the body or its next request.
 */
export function continueOnRead(request: IncomingMessage, response: ServerResponse): void {
  const { _read: read } = request;
  response.shouldKeepAlive = false;
  request._read = (size) => {
    request._read = read;
    if (!response.headersSent) {
      response.shouldKeepAlive = true;
      response.writeContinue();
    }
    request._read(size);
  };
}

/** Body of a request that `awaitsContinue`: a text for the journal, as long as the shortest rejected body. */
const unsentBody = ({ headers }: IncomingMessage) =>
  Buffer.from(`(${headers['content-length']} bytes, not sent)`.padEnd(maximumBodyBytes + 1));

/**
 * Reads a request body, but stops soon after `maximumBodyBytes`. Node discards the rest, so that a client that still
 * sends can read the error. Does not call `done` if the client disconnects. Asks for no body that is certainly too large.
 */
export function readBody(request: IncomingMessage, done: (body: Uint8Array) => void): void {
  if (awaitsContinue(request)) {
    done(unsentBody(request));
    return;
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = () => {
    request.off('data', take).off('end', finish);
    done(Buffer.concat(chunks, bytes));
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maximumBodyBytes) finish();
  };
  request.on('data', take).on('end', finish);
}
