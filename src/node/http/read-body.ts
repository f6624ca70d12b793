import type { IncomingMessage } from 'node:http';
import { maximumBodyBytes } from '../../requests/api-error.js';

/** Whether a request has a body (RFC 9112 section 6.3). */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Reads a request body, but stops soon after `maximumBodyBytes`. Node discards the rest, so that a client that still
 * sends can read the error. Does not call `done` if the client disconnects.
 */
export function readBody(request: IncomingMessage, done: (body: Uint8Array) => void): void {
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
