import type { RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** Lets msw intercept requests in the tests of a file, each with handlers of its own. */
export function interceptRequests(): (...handlers: RequestHandler[]) => void {
  const server = setupServer();
  beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
  afterEach(() => server.resetHandlers());
  afterAll(() => server.close());
  return (...handlers) => server.use(...handlers);
}
