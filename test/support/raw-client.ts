import { connect, type Socket } from 'node:net';

/** A client on a plain socket, which shows every byte and the end of the connection. */
export interface RawClient {
  readonly socket: Socket;
  /** Bytes received so far, one character per byte. */
  readonly received: string;
  /** `reset` after a RST, `end` after a FIN, otherwise `open`. */
  readonly state: 'open' | 'end' | 'reset';
  write(...requests: string[]): void;
  /** Resolves when the condition is true, checked at every event of the socket. */
  until(condition: (client: RawClient) => boolean): Promise<void>;
  /** Resolves when the server has closed or reset the connection. */
  over(): Promise<void>;
  leave(): void;
}

/**
 * @param options.stays keeps its own side open when the server ends the connection
 */
export async function rawClient(port: number, { stays = false } = {}): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: stays });
  let received = '';
  let state: RawClient['state'] = 'open';
  const waiting = new Set<() => void>();
  const look = () => {
    for (const check of waiting) check();
  };
  const client: RawClient = {
    socket,
    get received() {
      return received;
    },
    get state() {
      return state;
    },
    write: (...requests) => void socket.write(requests.join(''), 'latin1'),
    until: (condition) =>
      new Promise((resolve) => {
        const check = () => {
          if (!condition(client)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    over: () => client.until(({ state }) => state !== 'open'),
    leave: () => void socket.destroy(),
  };
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    look();
  });
  socket.on('end', () => {
    state = 'end';
    look();
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNRESET') state = 'reset';
    look();
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return client;
}

/** One request as bytes, with `free-key`. */
export function rawRequestText(method: string, path: string, body = '', headers: Record<string, string> = {}): string {
  const all: Record<string, string> = { Host: 'localhost', Authorization: 'Bearer free-key', ...headers };
  if (body !== '') Object.assign(all, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) });
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} /v1${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export interface RawAnswerParts {
  status: number;
  headers: Headers;
  body: string;
}

/** Parses the first response in some bytes. The body is the rest after its head. */
export function readAnswer(bytes: string): RawAnswerParts {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.slice(0, end).split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
  return { status: Number(first.split(' ')[1]), headers, body: bytes.slice(end + 4) };
}

/** Parses all complete responses in some bytes, by their Content-Length. */
export function readAnswers(bytes: string): RawAnswerParts[] {
  if (!bytes.includes('\r\n\r\n')) return [];
  const first = readAnswer(bytes);
  const length = Number(first.headers.get('content-length') ?? 0);
  if (first.body.length < length) return [];
  return [{ ...first, body: first.body.slice(0, length) }, ...readAnswers(first.body.slice(length))];
}
