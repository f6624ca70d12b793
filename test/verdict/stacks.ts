import { Agent, type AgentOptions, request } from 'node:http';

/** One answer as a client reads it. */
export interface Reply {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** How a client's requests go over the wire. */
export type Send = (path: string, init?: { method?: string; body?: string }) => Promise<Reply>;

/** The ways in which clients use connections: what the judge says must be the same on each. */
export const stacks: Record<string, (baseUrl: string, key: string) => Send> = {
  'Node fetch': (baseUrl, key) => async (path, init) => {
    const response = await fetch(baseUrl + path, { ...init, headers: headersOf(key) });
    await response.arrayBuffer();
    return { status: response.status, headers: Object.fromEntries(response.headers) };
  },
  'one keep-alive connection': overAgent({ keepAlive: true, maxSockets: 1 }),
  'a connection for each request': overAgent({ keepAlive: false }),
  'a pool of four': overAgent({ keepAlive: true, maxSockets: 4 }),
};

const headersOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' });

function overAgent(options: AgentOptions): (baseUrl: string, key: string) => Send {
  return (baseUrl, key) => {
    const agent = new Agent(options);
    return (path, { method = 'GET', body } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(baseUrl + path, { agent, method, headers: headersOf(key) }, (response) => {
          response.resume().on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers }));
        });
        sent.on('error', reject).end(body);
      });
  };
}
