import { HttpResponse, type HttpResponseResolver, http, type PathParams, type RequestHandler } from 'msw';
import type { Answer, ApiHandler } from '../requests/api-call.js';
import { checkOptions } from '../values/check-options.js';
import { addressPattern } from './address-pattern.js';
import { createAnswerRequest } from './fetch.js';

export interface HandlersOptions {
  /** Where clients expect the API: an address, or a path of any origin, one or several. Default: `/v1`. */
  baseUrl?: string | readonly string[] | undefined;
  /** Called after each answer. `persist` of `petstore-sim/persist` gives such a function. */
  onAnswer?: (() => void) | undefined;
}

const handlersOptions: Record<keyof HandlersOptions, true> = { baseUrl: true, onAnswer: true };

/**
 * The simulator as msw handlers, for `setupServer` in Node and `setupWorker` in a browser.
 * One handler takes everything under the base URL, so an unknown path gets the API's own 404 and never the network.
 * @throws {TypeError} when a base URL is neither an http or https address nor a path, and for an option that there is not
 * @example const server = setupServer(...handlers(createSimulator()));
 */
export function handlers(sim: ApiHandler, options: HandlersOptions = {}): RequestHandler[] {
  if (typeof sim?.handle !== 'function') {
    throw new TypeError(`handlers: expected a simulator of createSimulator, got ${sim && typeof sim}`);
  }
  checkOptions('handlers', options, handlersOptions);
  const { baseUrl, onAnswer } = options;
  const pattern = addressPattern(baseUrl);
  const answer = createAnswerRequest(sim, pattern);
  return [
    http.all(pattern, async ({ request }) => {
      try {
        return await answer(request);
      } catch (error) {
        // The client has its abort error already; msw would print ours to the console.
        if (request.signal.aborted) return Response.error();
        throw error;
      } finally {
        onAnswer?.();
      }
    }),
  ];
}

/** What `guarded` needs of a simulator. */
export interface ExtensionGate {
  admit(
    authorization: string | null | undefined,
    request?: { method: string; path: string },
  ): { refusal: Answer | undefined; headers: Record<string, string> };
  clientError(thrown: unknown): Pick<Answer, 'status' | 'headers' | 'body'> | undefined;
}

type Info<Params extends PathParams> = Parameters<HttpResponseResolver<Params>>[0];

/**
 * Makes a handler of your own behave like an operation of the API: a request without a valid key gets the 401, one over
 * the limits or of a banned key the 429, and every answer its X-RateLimit headers and the simulator's Date. A pet that
 * `sim.pets` refuses, or a text that `parseJson` refuses, gets the 400 of the API.
 * @param resolver must answer: a request that it left to the API would be counted twice
 * @example http.get('https://api.petstore.example/v1/categories', guarded(sim, () => HttpResponse.json(categories)))
 */
export function guarded<Params extends PathParams = PathParams>(
  sim: ExtensionGate,
  resolver: (info: Info<Params>) => Response | Promise<Response>,
): (info: Info<Params>) => Promise<Response> {
  return async (info) => {
    const { method, url, headers: sent } = info.request;
    const { refusal, headers } = sim.admit(sent.get('authorization'), { method, path: new URL(url).pathname });
    if (refusal !== undefined) return toHttpResponse(refusal);
    const response = await Promise.resolve(info)
      .then(resolver)
      .catch((thrown) => thrownResponse(thrown, sim));
    if (response.type === 'error') return response;
    // What `fetch` and `Response.redirect` give cannot be changed.
    const own = response instanceof HttpResponse ? response : new HttpResponse(response.body, response);
    for (const name in headers) own.headers.set(name, headers[name] as string);
    return own;
  };
}

/** As in any msw resolver, a response that is thrown is the answer. */
function thrownResponse(thrown: unknown, sim: ExtensionGate): Response {
  if (thrown instanceof Response) return thrown;
  const error = sim.clientError(thrown);
  if (error === undefined) throw thrown;
  return toHttpResponse(error);
}

const toHttpResponse = ({ body, status, headers }: Pick<Answer, 'status' | 'headers' | 'body'>) =>
  new HttpResponse(body, { status, headers });
