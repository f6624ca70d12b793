import type { Clock } from '../clock/clock.js';
import type { Answer } from '../requests/api-call.js';
import { hasResponseBody, isStream } from '../requests/outcome.js';
import { reasonPhrase } from '../requests/reason-phrase.js';
import { type SendPlan, sendPlan } from '../requests/wire-fault.js';

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
  // Sends a text body without a Content-Type header as bytes, because `Response` would add this header to a text.
  if (wire === undefined) return new Response(raw === undefined && 'Content-Type' in fields ? body : all(), init);
  const bytes = all();
  const plan = sendPlan(wire, bytes.length);
  const { declaredLength } = plan;
  const more = declaredLength === undefined ? [] : [['Content-Length', String(declaredLength)] as [string, string]];
  return new Response(plannedBody(bytes, plan, { clock, signal, finish }), { ...init, headers: [...headers, ...more] });
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
function cutStream(all: Uint8Array, bytes: number, expected: number): ReadableStream<Uint8Array> {
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

/** Creates a body that is sent by a plan: the bytes, or a stream that takes its time or fails. */
function plannedBody(
  all: Uint8Array<ArrayBuffer>,
  { pieces, isCut, declaredLength: expected = all.length }: SendPlan,
  { clock, signal, finish }: { clock: Clock; signal: AbortSignal; finish: Answer['finish'] },
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  const planned = [...pieces];
  // An HTTP client reads no more bytes than Content-Length states. With fewer bytes, the stream ends with an error, like
  // a connection that closes too early.
  const sent = Math.min(planned.at(-1)?.to ?? 0, expected);
  if (isCut && planned.every(({ afterMs }) => afterMs === 0))
    return sent < expected ? cutStream(all, sent, expected) : all.subarray(0, sent);
  const cancelled = new AbortController();
  const send = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const disconnected = AbortSignal.any([signal, cancelled.signal]);
    let from = 0;
    for (const { afterMs, to } of planned) {
      if (afterMs > 0) await clock.sleep(afterMs, disconnected);
      if (to > from) controller.enqueue(all.subarray(from, to));
      from = to;
    }
    if (sent < expected) throw terminated();
    controller.close();
    finish?.(true);
  };
  // Sends at fixed times, even if the client does not read.
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
