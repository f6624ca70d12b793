import type { Clock } from '../clock/clock.js';
import type { Answer } from '../requests/api-call.js';
import { statusesWithoutBody } from '../requests/outcome.js';

/**
 * An answer as a `Response`. A wire fault becomes what a client of `fetch` would see of it: a connection that is cut is
 * `Response.error()`, a body that is cut is a stream that fails.
 * @throws the reason of `signal` when the client gives up on an answer that never comes
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
  // What a fault does to a body, it cannot do to none.
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
      // A client reads as many bytes as Content-Length says; it fails only when fewer come.
      const seen =
        wire.value > bytes.length ? cutStream(bytes, bytes.length, wire.value) : bytes.subarray(0, wire.value);
      return new Response(seen, { status, headers: [...headers, ['Content-Length', String(wire.value)]] });
    }
    case 'drip':
      return new Response(slowStream(all(), wire, { clock, signal, finish }), { status, headers });
    default:
      // To text without a Content-Type, `Response` would add one.
      return new Response(raw === undefined && 'Content-Type' in fields ? body : all(), { status, headers });
  }
}

/** As pairs: from an object, the `Headers` of Node loses a field called `__proto__`. Set-Cookie has a pair for each line. */
export const headerPairs = (headers: Answer['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    name === 'Set-Cookie'
      ? value.split('\n').map((line): [string, string] => [name, line])
      : [[name, value] as [string, string]],
  );

const encode = (text: string) => new TextEncoder().encode(text);

/** The first bytes of a body, then the error that a client gets when the connection ends early. */
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
    // Nothing is queued ahead of the reader, because an error would discard the queue, also that of the copy that msw makes.
    { highWaterMark: 0 },
  );
}

/** A body in pieces, each at its time, whether or not the client reads them yet. */
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
      // A cancelled stream is closed already; otherwise the client gave up, or the simulator was reset.
      send(controller).catch((error) => {
        finish?.(false);
        if (!cancelled.signal.aborted) controller.error(signal.aborted ? signal.reason : terminated(error));
      });
    },
    cancel: () => cancelled.abort(),
  });
}

/** The error of `fetch` when a connection ends in the middle of a body. */
const terminated = (cause?: unknown) => new TypeError('terminated', { cause });
