import type { Answer } from './api-call.js';
import type { Clock } from './state/clock.js';

/**
 * An answer as a `Response`. What only a wire can do becomes what a client of `fetch` would see of it: a connection that
 * is cut is `Response.error()`, a body that is cut is a stream that fails.
 * @throws the reason of `signal` when the client gives up on an answer that never comes
 */
export async function toResponse(
  { status, headers, body, wire }: Answer,
  { method, signal }: Pick<Request, 'method' | 'signal'>,
  clock: Clock,
): Promise<Response> {
  switch (wire?.kind) {
    case 'reset':
    case 'close':
      return Response.error();
    case 'hang':
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    case 'truncate':
      return new Response(brokenStream(body, wire.bytes), { status, headers });
    case 'contentLength': {
      const wrong = { ...headers, 'Content-Length': String(wire.value) };
      const all = new TextEncoder().encode(body);
      // A client reads as much as it was told; it fails only when less comes.
      const seen = wire.value > all.length ? brokenStream(body, all.length) : all.subarray(0, wire.value);
      return new Response(seen, { status, headers: wrong });
    }
    case 'drip':
      return new Response(slowStream(body, wire, clock, signal), { status, headers });
    default:
      return new Response(method === 'HEAD' ? null : body, { status, headers });
  }
}

/** The first bytes of a body, then the failure that an early end of the connection is. */
function brokenStream(body: string, bytes: number): ReadableStream<Uint8Array> {
  const sent = new TextEncoder().encode(body).subarray(0, bytes);
  return new ReadableStream({
    start(controller) {
      if (sent.length > 0) controller.enqueue(sent);
    },
    // Not before what was sent has been read: an error empties the queue.
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
}

function slowStream(
  body: string,
  { bytes, everyMs }: { bytes: number; everyMs: number },
  clock: Clock,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const all = new TextEncoder().encode(body);
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at > 0) await clock.sleep(everyMs, signal);
      controller.enqueue(all.subarray(at, at + bytes));
      at += bytes;
      if (at >= all.length) controller.close();
    },
  });
}
