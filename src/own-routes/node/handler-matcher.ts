import type { IncomingMessage } from 'node:http';
import type { matchRequestUrl, RequestHandler } from 'msw';
import { readTarget } from '../../http/read-target.js';
import { pluralize } from '../../values/pluralize.js';

/** Checks whether an msw handler of the user matches a method and a request's URL. */
export type Matcher = (method: string, request: IncomingMessage) => boolean;

/** HTTP methods that the Fetch standard forbids in a `Request`. msw handlers cannot receive them. */
const forbiddenMethods = new Set(['TRACE', 'TRACK', 'CONNECT']);

/**
 * Maximum number of cached checks whether any msw handler of the user matches a request. Without the cache, msw needs
 * 20 us per handler for each request.
 */
const maximumRemembered = 1_000;

/** Whether a value is an msw request handler, made with `http` or `graphql`. WebSocket handlers are not. */
export const isHandler = (value: unknown): value is RequestHandler =>
  typeof value === 'object' && value !== null && 'info' in value && 'run' in value && typeof value.run === 'function';

/** Scheme and host at the start of a handler's path: `https://api.example.com`, `*://api.example.com:8080`. */
const hostOfPath = /^(?:[^/]*:)?\/\/[^/]*/;

/**
 * Copies an msw handler for a host, such as `http.get('https://api.example.com/user', ...)`, so that it matches its path
 * on this server, whatever the host. Returns any other handler as it is.
 */
export function onThisServer(handler: RequestHandler): RequestHandler {
  const { info, endpoint } = handler as unknown as Addressed;
  if (typeof info.path === 'string' && hostOfPath.test(info.path))
    return Object.create(handler, { info: { value: { ...info, path: info.path.replace(hostOfPath, '') || '/' } } });
  // msw compares the path of a GraphQL handler without the server's address.
  if (typeof endpoint === 'string' && hostOfPath.test(endpoint))
    return Object.create(handler, { endpoint: { value: `*${endpoint.replace(hostOfPath, '') || '/'}` } });
  return handler;
}

/**
 * Formats a note about handlers whose regular expression names a host, so that no request to this server matches.
 * Returns `undefined` without such handlers.
 */
export function unreachable(handlers: readonly object[]): string | undefined {
  const found = handlers.flatMap((handler) => {
    const { info, endpoint } = handler as unknown as Addressed;
    const path = info.path ?? endpoint;
    return path instanceof RegExp && namesHost.test(path.source) ? [String(path)] : [];
  });
  return found.length === 0
    ? undefined
    : `${pluralize(found.length, 'handler')} can probably not be reached, because the host in a regular expression is not this server's: ${found.join(', ')}; write the path alone, such as "*/user" or /\\/user$/`;
}

/** Host in a regular expression for addresses, except any host such as `[^/]+` or `.*`, and this machine's. */
const namesHost = /:(?:\\?\/){2}(?!localhost|127|\.[*+]|\[\^|\(\?:\.[*+])/;

/** Internal fields of msw's handlers with the addresses that a handler matches. */
interface Addressed {
  readonly info: { readonly path?: unknown };
  /** Address of a GraphQL handler. */
  readonly endpoint?: unknown;
}

/** Creates a check whether any msw handler matches a request. Other requests then skip msw, which is slow. */
export function createMatcher(handlers: readonly RequestHandler[], match: typeof matchRequestUrl): Matcher {
  const infos = handlers.map(({ info }) => info as { method?: string | RegExp; path?: unknown });
  const remembered = new Map<string, boolean>();

  const search = (method: string, url: URL): boolean =>
    infos.some((info) => {
      if (!isMethod(info.method, method)) return false;
      // Returns true for a GraphQL handler of msw, or one whose path is a function: only the handler itself can decide
      // whether it matches.
      if (typeof info.path !== 'string' && !(info.path instanceof RegExp)) return true;
      return match(url, info.path, url.origin).matches;
    });

  return (method, request) => {
    if (forbiddenMethods.has(method)) return false;
    const origin = `http://${request.headers.host}`;
    const { path } = readTarget(request.url);
    const question = `${method} ${origin}${path}`;
    const known = remembered.get(question);
    if (known !== undefined) return known;
    let answer = false;
    try {
      answer = search(method, new URL(origin + path));
    } catch {
      // Treats a malformed URL as not matched by the user's handlers, such as one with an invalid escape `%zz` or a
      // port above 65535. The simulated API then responds to the request.
    }
    if (remembered.size >= maximumRemembered) remembered.clear();
    remembered.set(question, answer);
    return answer;
  };
}

/**
 * Whether an msw handler accepts a request's method, by the rules of msw. The method of `http.all` is a regular
 * expression. A handler without a method, such as a GraphQL handler, accepts every method.
 */
function isMethod(wanted: string | RegExp | undefined, method: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? wanted.toUpperCase() === method.toUpperCase() : wanted.test(method);
}
