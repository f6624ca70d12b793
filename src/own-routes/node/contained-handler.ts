import { type ServerResponse, validateHeaderValue } from 'node:http';
import type { RequestHandler } from 'msw';
import type { Answer } from '../../requests/api-call.js';
import { type RequestContext, readChunk, setContext } from '../serve-route.js';

/**
 * Error for an msw handler that returned `HttpResponse.error()`. The server then closes the connection without a
 * response.
 */
export class ConnectionAborted extends Error {
  override readonly name = 'ConnectionAborted';
}

/**
 * Carries the response of a guarded route (a custom route under the API's limits) out of its msw handler. The server
 * sends it like an API response.
 */
export class RouteResponse extends Error {
  override readonly name = 'RouteResponse';

  constructor(readonly answer: Answer) {
    super();
  }
}

/**
 * Wraps a user's msw handler, so that no response can crash the server's process or leave a cookie in msw.
 * `@mswjs/http-middleware` 0.10.3 crashes on status 0 of `HttpResponse.error()`, a failing body, and a header that
 * `node:http` rejects. msw adds stored cookies to later requests of all clients, but stores none from a plain
 * `Response`.
 * @param context request context for handlers wrapped in `guarded`, which applies authentication and rate limits
 * @param headers added unless the response has a header of that name; `Vary` is always added
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
    if (context.answer !== undefined) throw new RouteResponse(context.answer);
    if (result?.response === undefined) return result;
    return { ...result, response: contained(result.response, response, headers) };
  };
  return Object.create(handler, { run: { value: run } });
}

function contained(answer: Response, response: ServerResponse, more: Readonly<Record<string, string>>): Response {
  if (answer.type === 'error') throw new ConnectionAborted();
  const headers = new Headers(answer.headers);
  for (const name in more) {
    if (name === 'Vary') headers.append(name, more[name] as string);
    else if (!headers.has(name)) headers.set(name, more[name] as string);
  }
  for (const [name, value] of headers) validateHeaderValue(name, value);
  const { status, statusText, body } = answer;
  return new Response(body && containedBody(body, response), { status, statusText, headers });
}

/**
 * Passes on the body of a custom route's response. Closes the connection if the body fails, and cancels the body if the
 * client disconnects.
 */
function containedBody(body: ReadableStream<Uint8Array>, response: ServerResponse): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => {});
  if (response.destroyed) giveUp();
  else response.once('close', giveUp);
  return new ReadableStream({
    async pull(controller) {
      try {
        const chunk = await readChunk(reader);
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      } catch (error) {
        console.error(error);
        response.destroy();
        controller.close();
      }
    },
  });
}
