import { http, type RequestHandler } from 'msw';
import { addressPattern, answerRequest } from './fetch.js';
import type { Simulator } from './simulator.js';

export interface HandlersOptions {
  /** Where clients expect the API, one address or several. Default: `/v1` of any origin. */
  baseUrl?: string | readonly string[];
}

/**
 * The simulator as msw handlers, for `setupServer` in Node and `setupWorker` in a browser.
 * One handler takes everything under the base URL, so an unknown path gets the API's own 404 and never the network.
 * @throws {TypeError} when a base URL is not an absolute URL
 * @example const server = setupServer(...handlers(createSimulator()));
 */
export function handlers(sim: Simulator, { baseUrl }: HandlersOptions = {}): RequestHandler[] {
  const pattern = addressPattern(baseUrl);
  return [http.all(pattern, ({ request }) => answerRequest(sim, pattern, request))];
}
