import { http, type RequestHandler } from 'msw';
import type { ApiHandler } from '../requests/api-call.js';
import { checkOptions } from '../values/check-options.js';
import { addressPattern } from './address-pattern.js';
import { createAnswerRequest, type OwnHandler, ownHandlersOf } from './fetch.js';

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
    ...ownHandlers(sim),
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

/** The simulator's own handlers. Each runs as the one of the present generation, because a reset creates them again. */
function ownHandlers(sim: ApiHandler): RequestHandler[] {
  const run = (at: number) => async (args: never) => (await ownHandlersOf(sim)[at]?.run(args)) ?? null;
  return ownHandlersOf(sim).map((handler: OwnHandler, at) => Object.create(handler, { run: { value: run(at) } }));
}
