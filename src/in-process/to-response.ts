import type { Clock } from '../clock/clock.js';
import type { Answer } from '../requests/api-call.js';
import { statusesWithoutBody } from '../requests/outcome.js';

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
  switch (wire?.kind) {
    case 'reset':
    case 'close':
      return Response.error();
    case 'hang':
      await clock.sleep(Number.POSITIVE_INFINITY, signal);
      return Response.error();
  }
  // Faults of the body do not apply to a response without a body.
  if (method === 'HEAD' || statusesWithoutBody.includes(status)) {
    finish?.(true);
    return new Response(null, { status, headers });
  }
  const all = () => (raw ?? encode(body)) as Uint8Array<ArrayBuffer>;
  switch (wire?.kind) {
    case 'truncate':
      return new Response(cutStream(all(), wire.bytes), { status, headers });
    case 'contentLength': {
      const bytes = all();
      // A client reads as many bytes as Content-Length states, and fails only if fewer arrive.
      const seen =
        wire.value > bytes.length ? cutStream(bytes, bytes.length, wire.value) : bytes.subarray(0, wire.value);
      return new Response(seen, { status, headers: [...headers, ['Content-Length', String(wire.value)]] });
    }
    case 'drip':
      return new Response(slowStream(all(), wire, { clock, signal, finish }), { status, headers });
    default:
      // `Response` would add a missing Content-Type to text.
      return new Response(raw === undefined && 'Content-Type' in fields ? body : all(), { status, headers });
  }
}

/**
 * Converts headers to pairs, one for each line of Set-Cookie. From an object, Node's `Headers` would lose a field named
 * `__proto__`.
 */
export const headerPairs = (headers: Answer['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    name === 'Set-Cookie'
      ? value.split('\n').map((line): [string, string] => [name, line])
      : [[name, value] as [string, string]],
  );

const encode = (text: string) => new TextEncoder().encode(text);

/** Streams the first bytes of a body. Fails like a closed connection if there are fewer than `expected` bytes. */
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
    // No queue, because an error would discard queued chunks, also in the copy that msw makes.
    { highWaterMark: 0 },
  );
}

/** Streams a body in chunks at fixed times, even if the client does not read. */
function slowStream(
  all: Uint8Array,
  { bytes, everyMs }: { bytes: number; everyMs: number },
  { clock, signal, finish }: { clock: Clock; signal: AbortSignal; finish: Answer['finish'] },
): ReadableStream<Uint8Array> {
  const cancelled = new AbortController();
  const send = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const gone = AbortSignal.any([signal, cancelled.signal]);
    for (let at = 0; at < all.length; at += bytes) {
      if (at > 0) await clock.sleep(everyMs, gone);
      controller.enqueue(all.subarray(at, at + bytes));
    }
    controller.close();
    finish?.(true);
  };
  return new ReadableStream({
    start(controller) {
      // A cancelled stream is already closed. Otherwise the client aborted, or the simulator was reset.
      send(controller).catch((error) => {
        finish?.(false);
        if (!cancelled.signal.aborted) controller.error(signal.aborted ? signal.reason : terminated(error));
      });
    },
    cancel: () => cancelled.abort(),
  });
}

/** Creates the error of `fetch` for a connection that ends within a body. */
const terminated = (cause?: unknown) => new TypeError('terminated', { cause });
