import { type ServerResponse, validateHeaderValue } from 'node:http';
import type { RequestHandler } from 'msw';
import { type RequestContext, setContext } from '../../own-routes/serve-route.js';
import type { Answer } from '../../requests/api-call.js';

/** A handler answered with `HttpResponse.error()`: the connection ends without an answer. */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut';
}

/** A guarded route has an answer, which the server sends as those of the API. */
export class RouteAnswered extends Error {
  override readonly name = 'RouteAnswered';

  constructor(readonly answer: Answer) {
    super();
  }
}

/**
 * A handler whose answers cannot end the process. `@mswjs/http-middleware` 0.10.3 sends them from where nothing catches:
 * the status 0 of `HttpResponse.error()`, a body that fails and a header that `node:http` refuses each end it.
 * It also makes msw store the cookies of every answer and add them to all later requests, of other clients too; a plain
 * `Response` is not stored.
 * @param context for `guarded`
 * @param headers added where the answer has none of that name; `Vary` always
 */
export function containedHandler(
  handler: RequestHandler,
  response: ServerResponse,
  context: RequestContext,
  headers: Readonly<Record<string, string>>,
): RequestHandler {
  const run: RequestHandler['run'] = async (args) => {
    setContext(args.request, context);
    const result = await handler.run(args);
    if (context.answer !== undefined) throw new RouteAnswered(context.answer);
    if (result?.response === undefined) return result;
    return { ...result, response: contained(result.response, response, headers) };
  };
  return Object.create(handler, { run: { value: run } });
}

function contained(answer: Response, response: ServerResponse, more: Readonly<Record<string, string>>): Response {
  if (answer.type === 'error') throw new ConnectionCut();
  const headers = new Headers(answer.headers);
  for (const name in more) {
    if (name === 'Vary') headers.append(name, more[name] as string);
    else if (!headers.has(name)) headers.set(name, more[name] as string);
  }
  for (const [name, value] of headers) validateHeaderValue(name, value);
  const { status, statusText, body } = answer;
  return new Response(body && containedBody(body, response), { status, statusText, headers });
}

/** A body that cuts the connection when it fails, and that is given up when the client has gone. */
function containedBody(body: ReadableStream<Uint8Array>, response: ServerResponse): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => {});
  if (response.destroyed) giveUp();
  else response.once('close', giveUp);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (!(value instanceof Uint8Array)) throw new TypeError('expected the chunks of a body to be bytes');
        controller.enqueue(value);
      } catch (error) {
        console.error(error);
        response.destroy();
        controller.close();
      }
    },
  });
}
