import type { IncomingMessage } from 'node:http';
import type { matchRequestUrl, RequestHandler } from 'msw';

/** Checks whether a handler matches a method and the URL of `request`. */
export type Matcher = (method: string, request: IncomingMessage) => boolean;

/** Methods that the Fetch standard forbids in a `Request`, so that no handler can receive them. */
const forbiddenMethods = new Set(['TRACE', 'TRACK', 'CONNECT']);

/** Maximum number of cached results. Without the cache, msw compares a URL in 20 us per handler. */
const mostRemembered = 1_000;

/** Whether a value is a request handler, made with `http` or `graphql` of msw. WebSocket handlers are not. */
export const isHandler = (value: unknown): value is RequestHandler =>
  typeof value === 'object' && value !== null && 'info' in value && 'run' in value && typeof value.run === 'function';

/** Creates a check whether any msw handler matches a request, so that other requests skip msw. */
export function createMatcher(handlers: readonly RequestHandler[], match: typeof matchRequestUrl): Matcher {
  const infos = handlers.map(({ info }) => info as { method?: string | RegExp; path?: unknown });
  const remembered = new Map<string, boolean>();

  const search = (method: string, url: URL): boolean =>
    infos.some((info) => {
      if (!isMethod(info.method, method)) return false;
      // A function or a GraphQL operation can be evaluated only by the handler itself.
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
      // The API responds to a malformed escape, such as `%zz`, and to a port above 65535.
    }
    if (remembered.size >= mostRemembered) remembered.clear();
    remembered.set(question, answer);
    return answer;
  };
}

/** Compares methods like msw: `http.all` has a pattern, GraphQL handlers have no method. */
function isMethod(wanted: string | RegExp | undefined, method: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? wanted.toUpperCase() === method.toUpperCase() : wanted.test(method);
}
