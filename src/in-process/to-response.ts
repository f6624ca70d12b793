import type { Clock } from '../clock/clock.js';
import type { Answer } from '../requests/api-call.js';
import { hasResponseBody, isStream } from '../requests/outcome.js';
import { reasonPhrase } from '../requests/reason-phrase.js';

/**
 * Creates a `Response` as a client of `fetch` sees it. A cut connection becomes `Response.error()`, and a cut body
 * becomes a failing stream.
 * @throws the reason of `signal` if the client aborts while a fault hangs the response
 */
export async function toResponse(
  { status, headers: fields, body, raw, wire, finish }: Answer,
  { method, signal }: Pick<Request, 'method' | 'signal'>,
  clock: Clock,
): Promise<Response> {
  const headers = headerPairs(fields);
  const init = { status, statusText: reasonPhrase(status), headers };
  switch (wire?.kind) {
    case 'reset':
    case 'close':
      return Response.error();
    case 'hang':
      await clock.sleep(Number.POSITIVE_INFINITY, signal);
      return Response.error();
  }
  // Returns a response without a body to a HEAD request, and for a status such as 204. Faults that change a response
  // body have no effect on a response without a body.
  if (!hasResponseBody(method, status)) {
    if (isStream(raw)) void raw.cancel().catch(() => {});
    finish?.(true);
    return new Response(null, init);
  }
  const all = () => (raw ?? encode(body)) as Uint8Array<ArrayBuffer>;
  switch (wire?.kind) {
    case 'truncate':
      return new Response(cutStream(all(), wire.bytes), init);
    case 'contentLength': {
      const bytes = all();
      // Returns as many bytes of the body as the fault rule's wrong Content-Length states, because an HTTP client reads
      // no more. If the body has fewer bytes, the stream ends with an error, like a connection that closes too early.
      const seen =
        wire.value > bytes.length ? cutStream(bytes, bytes.length, wire.value) : bytes.subarray(0, wire.value);
      return new Response(seen, { ...init, headers: [...headers, ['Content-Length', String(wire.value)]] });
    }
    case 'drip':
      return new Response(slowStream(all(), wire, { clock, signal, finish }), init);
    default:
      // Sends a text body without a Content-Type header as bytes, because `Response` would add this header to a text.
      return new Response(raw === undefined && 'Content-Type' in fields ? body : all(), init);
  }
}

/**
 * Converts headers to pairs, with one pair per Set-Cookie line. `Headers` of Node cannot read a field named `__proto__`
 * from an object.
 */
export const headerPairs = (headers: Answer['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    name === 'Set-Cookie'
      ? value.split('\n').map((line): [string, string] => [name, line])
      : [[name, value] as [string, string]],
  );

const encode = (text: string) => new TextEncoder().encode(text);

/**
 * Creates a stream of a body's first bytes. The stream fails like a closed connection if there are fewer bytes than
 * `expected`.
 */
function cutStream(all: Uint8Array, bytes: number, expected = all.length): ReadableStream<Uint8Array> {
  const sent = all.subarray(0, bytes);
  const left = sent.length > 0 ? [sent] : [];
  return new ReadableStream(
    {
      pull(controller) {
        const chunk = left.pop();
        if (chunk !== undefined) controller.enqueue(chunk);
        else if (sent.length < expected) controller.error(terminated());
        else controller.close();
      },
    },
    // Disables the queue of the response's stream. An error of the stream would discard queued chunks, also in msw's
    // copy of the response.
    { highWaterMark: 0 },
  );
}

/** Creates a stream that sends a body in chunks at fixed times, even if the client does not read. */
function slowStream(
  all: Uint8Array,
  { bytes, everyMs }: { bytes: number; everyMs: number },
  { clock, signal, finish }: { clock: Clock; signal: AbortSignal; finish: Answer['finish'] },
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  const send = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const disconnected = AbortSignal.any([signal, cancelled.signal]);
    for (let index = 0; index < all.length; index += bytes) {
      if (index > 0) await clock.sleep(everyMs, disconnected);
      controller.enqueue(all.subarray(index, index + bytes));
    }
    controller.close();
    finish?.(true);
  };
  return new ReadableStream({
    start(controller) {
      // Ends the body with an error if the request was aborted or the simulator was reset. A body that the client
      // cancelled needs no error, because the client no longer reads it.
      send(controller).catch((error) => {
        finish?.(false);
        if (!cancelled.signal.aborted) controller.error(signal.aborted ? signal.reason : terminated(error));
      });
    },
    cancel: () => cancelled.abort(),
  });
}

/** Creates the TypeError `terminated`, as `fetch` throws for a connection that ends within a body. */
const terminated = (cause?: unknown) => new TypeError('terminated', { cause });
