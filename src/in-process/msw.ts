import { http, type RequestHandler } from 'msw';
import type { ApiHandler } from '../requests/api-call.js';
import { checkOptions } from '../values/check-options.js';
import { addressPattern } from './address-pattern.js';
import { createAnswerRequest, type OwnHandler, ownHandlersOf } from './fetch.js';

export interface HandlersOptions {
  /**
   * One or several base URLs of the API: absolute URLs, or paths that match every origin. Default: the base paths of
   * the simulated APIs, such as `/v1`.
   */
  baseUrl?: string | readonly string[] | undefined;
  /** Function to call after each response, such as the one that `persist` of `petstore-sim/persist` returns. */
  onAnswer?: (() => void) | undefined;
}

const handlersOptions: Record<keyof HandlersOptions, true> = { baseUrl: true, onAnswer: true };

/**
 * Creates msw handlers for the simulator, for `setupServer` in Node and `setupWorker` in a browser.
 * One handler serves all URLs under the base URL, so an unknown path gets the API's 404 without network access.
 * @throws {TypeError} for an unknown option, and for a base URL that is not http, https or a path
 * @example const server = setupServer(...handlers(createSimulator()));
 */
export function handlers(sim: ApiHandler, options: HandlersOptions = {}): RequestHandler[] {
  if (typeof sim?.handle !== 'function') {
    throw new TypeError(`handlers: expected a simulator of createSimulator, got ${sim && typeof sim}`);
  }
  checkOptions('handlers', options, handlersOptions);
  const { baseUrl = sim.basePaths, onAnswer } = options;
  const pattern = addressPattern(baseUrl);
  const answer = createAnswerRequest(sim, pattern);
  return [
    ...ownHandlers(sim),
    http.all(pattern, async ({ request }) => {
      try {
        return await answer(request);
      } catch (error) {
        // Responds with a network error instead of throwing if the client has aborted its request. The client already
        // has its own error, and msw would print the thrown one too.
        if (request.signal.aborted) return Response.error();
        throw error;
      } finally {
        onAnswer?.();
      }
    }),
  ];
}

/**
 * Creates msw handlers that run the user's msw handlers. Finds the user's handler by its index at each request, because
 * a reset of the simulator creates the user's handlers again.
 */
function ownHandlers(sim: ApiHandler): RequestHandler[] {
  const run = (index: number) => async (args: never) => (await ownHandlersOf(sim)[index]?.run(args)) ?? null;
  return ownHandlersOf(sim).map((handler: OwnHandler, index) => Object.create(handler, { run: { value: run(index) } }));
}
