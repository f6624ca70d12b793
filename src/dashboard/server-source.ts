import { readEvents } from '../values/read-events.js';
import { parseExact, type Source, SourceError, updatesPath } from './source.js';

/** Name of the stored token. A proxy may serve several servers under paths of one origin. */
const tokenItem = () => `petstore-sim-control-token ${location.pathname}`;

/** Control token that this browser stores for the server, so that each tab has it. */
export const readToken = () => localStorage.getItem(tokenItem()) ?? undefined;
export const keepToken = (token: string) => localStorage.setItem(tokenItem(), token);

/** Interval at which a hidden tab reads updates. */
const hiddenPollMs = 3_000;

/**
 * Creates the dashboard's data source for a server or one of the server's sandboxes. Reads the event stream with
 * `fetch`, because an EventSource cannot send the control token.
 * @param origin URL of the server, such as `http://127.0.0.1:4010`
 * @param publicUrl URL of the server for others, which the dashboard shows
 * @param about facts about the server in words
 * @param basePath path of the API; empty if a backend has all paths
 */
export function createServerSource(
  origin: string,
  sandbox?: string,
  publicUrl = origin,
  about = '',
  basePath = '/v1',
): Source {
  const url = `${origin}/__sim${sandbox === undefined ? '' : `/sandboxes/${encodeURIComponent(sandbox)}`}`;
  const apiPath = `${sandbox === undefined ? '' : `/s/${sandbox}`}${basePath}`;
  const request = async (
    method: string,
    path: string,
    input?: object | string,
    signal?: AbortSignal,
    base = url,
  ): Promise<Response> => {
    const token = readToken();
    let response: Response;
    try {
      response = await fetch(`${base}${path}`, {
        method,
        headers: {
          'X-Sim-Caller': 'page',
          'Content-Type': 'application/json',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        body: typeof input === 'string' ? input : JSON.stringify(input),
        signal: signal ?? null,
      });
    } catch {
      throw new SourceError(0, 'The server does not respond.');
    }
    if (response.ok) return response;
    const body = await response.json().catch(() => ({}));
    throw new SourceError(response.status, body.message ?? `The server responded with ${response.status}.`);
  };
  return {
    kind: 'server',
    storage: sessionStorage,
    sendToServer: async (method, path, input) =>
      (await request(method, path, input, undefined, `${origin}/__sim`)).json(),
    apiUrl: `${origin}${apiPath}`,
    baseUrl: `${publicUrl}${apiPath}`,
    about,
    send: async (method, path, input) => parseExact(await (await request(method, path, input)).text()),
    text: async (path) => (await request('GET', path)).text(),
    // The health check is open to everyone, and shows the scenario's name only to requests that have the token. Any other
    // request would appear as an error in the browser's console.
    isLocked: async () =>
      !('scenario' in (await (await request('GET', '/health', undefined, undefined, `${origin}/__sim`)).json())),
    async watch(since, take, signal) {
      // Over HTTP/1.1, a browser opens at most six connections to a server, over all tabs. A hidden tab therefore holds
      // none: it reads one update at a time.
      const leave = new AbortController();
      const leaveIfHidden = () => document.hidden && leave.abort();
      const stop = () => leave.abort();
      document.addEventListener('visibilitychange', leaveIfHidden);
      signal.addEventListener('abort', stop);
      try {
        const { body } = await request('GET', updatesPath(since), undefined, leave.signal);
        if (body === null) return false;
        for await (const data of readEvents(body)) {
          take(JSON.parse(data));
          leaveIfHidden();
        }
      } catch (error) {
        if (!leave.signal.aborted) throw error;
      } finally {
        document.removeEventListener('visibilitychange', leaveIfHidden);
        signal.removeEventListener('abort', stop);
      }
      if (document.hidden) await untilShown(hiddenPollMs, signal);
      return leave.signal.aborted;
    },
  };
}

/** Waits until the tab is visible, a time in milliseconds has passed, or `signal` is aborted. */
const untilShown = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    document.addEventListener('visibilitychange', end);
    signal.addEventListener('abort', end);
  });
