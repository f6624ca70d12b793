import { type Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Called {
  /** `undefined` when the connection ended without an answer. */
  status: number | undefined;
  body: string;
  retryAfter: string | undefined;
}

export interface CallOptions {
  key?: string;
  /** Makes it a POST. */
  body?: unknown;
  agent?: Agent;
  headers?: Record<string, string>;
}

/** Sends one request, on a new connection unless an agent is given. */
export function call(url: string, { key = 'free-key', body, agent, headers }: CallOptions = {}): Promise<Called> {
  return new Promise((resolve) => {
    const lost = () => resolve({ status: undefined, body: '', retryAfter: undefined });
    const outgoing = request(url, {
      method: body === undefined ? 'GET' : 'POST',
      agent: agent ?? false,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
    });
    outgoing.on('error', lost).on('response', async (response) => {
      const { statusCode: status, headers } = response;
      text(response).then((body) => resolve({ status, body, retryAfter: headers['retry-after'] }), lost);
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Sends requests in parallel, each on a new connection, in rotation over the servers. */
export const callAll = (
  urls: readonly string[],
  count: number,
  path: string,
  options: (index: number) => CallOptions = () => ({}),
): Promise<Called[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => call(`${urls[index % urls.length]}${path}`, options(index))));

/** Number of responses per status. */
export function statuses(answers: readonly Called[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status = 'none' } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
