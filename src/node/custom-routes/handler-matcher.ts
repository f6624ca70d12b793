import type { IncomingMessage } from 'node:http';
import type { matchRequestUrl, RequestHandler } from 'msw';

/** Whether one of the handlers takes requests with this method to the address of `request`. */
export type Matcher = (method: string, request: IncomingMessage) => boolean;

/** The Fetch standard has no `Request` with these methods, so no handler can be asked. */
const forbiddenMethods = new Set(['TRACE', 'TRACK', 'CONNECT']);

/** How many answers are remembered; without, msw takes 20 us a handler to compare an address. */
const mostRemembered = 1_000;

/** Whether a value is a handler for requests, as `http` and `graphql` of msw make them; one for WebSockets is not. */
export const isHandler = (value: unknown): value is RequestHandler =>
  typeof value === 'object' && value !== null && 'info' in value && 'run' in value && typeof value.run === 'function';

/** Decides which requests msw handlers get to see, so that the others skip them. */
export function createMatcher(handlers: readonly RequestHandler[], match: typeof matchRequestUrl): Matcher {
  const infos = handlers.map(({ info }) => info as { method?: string | RegExp; path?: unknown });
  const remembered = new Map<string, boolean>();

  const search = (method: string, url: URL): boolean =>
    infos.some((info) => {
      if (!isMethod(info.method, method)) return false;
      // A function, or a handler for GraphQL: only the handler itself knows.
      if (typeof info.path !== 'string' && !(info.path instanceof RegExp)) return true;
      return match(url, info.path, url.origin).matches;
    });

  return (method, request) => {
    if (forbiddenMethods.has(method)) return false;
    const origin = `http://${request.headers.host}`;
    const [target = ''] = (request.url ?? '').split('?', 1);
    const question = `${method} ${origin}${target}`;
    const known = remembered.get(question);
    if (known !== undefined) return known;
    let answer = false;
    try {
      answer = search(method, new URL(origin + target));
    } catch {
      // A broken escape, such as `%zz`, or a port past 65535: the API knows an answer to it.
    }
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(question, answer);
    return answer;
  };
}

/** As msw compares: `http.all` has a pattern, GraphQL handlers have no method. */
function isMethod(wanted: string | RegExp | undefined, method: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? wanted.toUpperCase() === method.toUpperCase() : wanted.test(method);
}
