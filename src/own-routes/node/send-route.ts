import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { type Delivery, deliver } from '../../http/wire-faults.js';
import { headerPairs } from '../../in-process/to-response.js';
import { hasResponseBody, isStream } from '../../requests/outcome.js';
import { recordedStream } from '../serve-route.js';

/**
 * Sends the response of a user's rate-limited route, with a body of bytes or a stream, and with cookies.
 * @throws {TypeError} for a header that HTTP does not allow
 */
export function sendRoute(request: IncomingMessage, response: ServerResponse, delivery: Delivery): void {
  const { answer, cors } = delivery;
  const { status, headers, body, raw = Buffer.from(body), wire, finish } = answer;
  if (wire !== undefined || (answer.raw === undefined && !('Set-Cookie' in headers))) {
    deliver(request, response, delivery);
    return;
  }
  const hasBody = hasResponseBody(request.method, status);
  const isStreamed = isStream(raw);
  const length = isStreamed || !hasBody ? {} : { 'Content-Length': String(raw.length) };
  response.writeHead(status, headerPairs({ ...headers, ...length, ...cors }).flat());
  if (!isStreamed) {
    response.end(hasBody ? raw : undefined);
  } else if (hasBody) {
    response.flushHeaders();
    // Ignores an error of the response's stream. The error was logged when it occurred, and the connection has ended.
    pipeline(Readable.fromWeb(recordedStream(raw, finish) as NodeStream), response, () => {});
  } else {
    void raw.cancel().catch(() => {});
    finish?.(true);
    response.end();
  }
}
