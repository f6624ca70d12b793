import { Agent, type AgentOptions, request } from 'node:http';

/** A response as a client reads it. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
}

export interface Init {
  method?: string | undefined;
  body?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a client's request over the wire.
 * @throws the error of the stack if the response is lost or the signal aborted
 */
export type Send = (path: string, init?: Init) => Promise<Reply>;

/** One way in which clients use connections. */
export interface Stack {
  /** Maximum number of requests in flight; further requests wait in the client. */
  connections: number;
  connect(baseUrl: string, key: string): Send;
}

/** The ways in which clients use connections. The judge must have the same findings on each. */
export const stacks: Record<string, Stack> = {
  'Node fetch': {
    connections: Number.POSITIVE_INFINITY,
    connect: (baseUrl, key) => async (path, init) => {
      const response = await fetch(baseUrl + path, { ...init, headers: headersOf(key, init) } as RequestInit);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  },
  'one keep-alive connection': overAgent({ keepAlive: true, maxSockets: 1 }),
  'a connection for each request': overAgent({ keepAlive: false }),
  'a pool of four': overAgent({ keepAlive: true, maxSockets: 4 }),
};

const headersOf = (key: string, init?: Init) => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  ...init?.headers,
});

function overAgent(options: AgentOptions): Stack {
  return {
    connections: options.maxSockets ?? Number.POSITIVE_INFINITY,
    connect(baseUrl, key) {
      const agent = new Agent(options);
      return (path, { method = 'GET', body, headers, signal } = {}) =>
        new Promise((resolve, reject) => {
          const init = {
            agent,
            method,
            headers: headersOf(key, { headers: headers ?? {} }),
            ...(signal && { signal }),
          };
          const sent = request(baseUrl + path, init, (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk) => chunks.push(chunk));
            response.on('error', reject);
            response.on('end', () => {
              const shown = Object.entries(response.headersDistinct).map(([name, values]) => [name, `${values}`]);
              const text = Buffer.concat(chunks).toString();
              resolve({ status: response.statusCode ?? 0, headers: new Headers(shown as [string, string][]), text });
            });
          });
          sent.on('error', reject).end(body);
        });
    },
  };
}
