import { readEvents } from '../values/read-events.js';
import { parseExact, type Source, SourceError, updatesPath } from './source.js';

const tokenItem = 'petstore-sim-control-token';

/** Control token that this browser tab stores. */
export const readToken = () => sessionStorage.getItem(tokenItem) ?? undefined;
export const keepToken = (token: string) => sessionStorage.setItem(tokenItem, token);

/**
 * Creates the dashboard's data source for a server or one of the server's sandboxes. Reads the event stream with
 * `fetch`, because an EventSource cannot send the control token.
 * @param origin URL of the server, such as `http://127.0.0.1:4010`
 * @param publicUrl URL of the server for others, which the dashboard shows
 */
export function createServerSource(origin: string, sandbox?: string, publicUrl = origin): Source {
  const url = `${origin}/__sim${sandbox === undefined ? '' : `/sandboxes/${encodeURIComponent(sandbox)}`}`;
  const apiPath = `${sandbox === undefined ? '' : `/s/${sandbox}`}/v1`;
  const request = async (
    method: string,
    path: string,
    input?: object,
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
          ...(method !== 'GET' && { 'Content-Type': 'application/json' }),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        ...(method !== 'GET' && { body: JSON.stringify(input ?? {}) }),
        ...(signal && { signal }),
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
    send: async (method, path, input) => parseExact(await (await request(method, path, input)).text()),
    text: async (path) => (await request('GET', path)).text(),
    async watch(since, take, signal) {
      const { body } = await request('GET', updatesPath(since), undefined, signal);
      if (body === null) return;
      for await (const data of readEvents(body)) take(JSON.parse(data));
    },
  };
}
