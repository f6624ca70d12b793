import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Sent } from './second-reader.js';

/** Parts of one HTTP/1.1 message. */
interface Parts {
  onHead(startLine: string, header: (name: string) => string | undefined): 'no body' | undefined;
  onBody(bytes: Buffer): void;
  onEnd(): void;
}

/** Reads HTTP/1.1 messages from the bytes of one direction of a connection (RFC 9112, sections 6 and 7). */
class MessageReader {
  readonly #parts: Parts;
  #bytes = Buffer.alloc(0);
  #state: 'head' | 'body' | 'chunk size' | 'chunk' | 'trailer' | 'until close' = 'head';
  #left = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    while (this.#step());
  }

  /** The end of the connection ends a body without a length. */
  close(): void {
    if (this.#state === 'until close') this.#parts.onEnd();
  }

  #step(): boolean {
    switch (this.#state) {
      case 'head': {
        const head = this.#take('\r\n\r\n');
        return head !== undefined && this.#begin(head);
      }
      case 'chunk size': {
        const line = this.#take('\r\n');
        if (line === undefined) return false;
        this.#left = Number.parseInt(line, 16);
        this.#state = this.#left === 0 ? 'trailer' : 'chunk';
        return true;
      }
      case 'trailer': {
        const line = this.#take('\r\n');
        return line !== undefined && (line !== '' || this.#end());
      }
      default: {
        const part = this.#bytes.subarray(0, this.#state === 'until close' ? undefined : this.#left);
        this.#bytes = this.#bytes.subarray(part.length);
        this.#left -= part.length;
        this.#parts.onBody(part);
        if (this.#state === 'until close' || this.#left > 0) return false;
        if (this.#state === 'body') return this.#end();
        if (this.#take('\r\n') === undefined) return false;
        this.#state = 'chunk size';
        return true;
      }
    }
  }

  #begin(head: string): boolean {
    const [startLine = '', ...lines] = head.split('\r\n');
    const header = (name: string) =>
      lines
        .find((line) => line.toLowerCase().startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim();
    const isResponse = startLine.startsWith('HTTP/');
    if (/^HTTP\/1.1 1\d\d/.test(startLine)) return true;
    const hasNoBody = this.#parts.onHead(startLine, header) === 'no body';
    const length = header('content-length');
    if (hasNoBody) return this.#end();
    if (header('transfer-encoding') !== undefined) this.#state = 'chunk size';
    else if (length === undefined && isResponse) this.#state = 'until close';
    else if (Number(length ?? 0) === 0) return this.#end();
    else [this.#state, this.#left] = ['body', Number(length)];
    return true;
  }

  #end(): true {
    this.#state = 'head';
    this.#parts.onEnd();
    return true;
  }

  #take(end: string): string | undefined {
    const at = this.#bytes.indexOf(end);
    if (at < 0) return undefined;
    const text = this.#bytes.toString('latin1', 0, at);
    this.#bytes = this.#bytes.subarray(at + end.length);
    return text;
  }
}

/** A TCP proxy in front of a server that logs each request and its response. */
export interface WireLog {
  port: number;
  sent: readonly Sent[];
  close(): Promise<void>;
}

/** Opens the proxy on a free port of the loopback interface. Bytes, resets and closed connections pass unchanged. */
export async function openWireLog(serverPort: number): Promise<WireLog> {
  const sent: Sent[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((client) => {
    const upstream = connect({ port: serverPort, host: '127.0.0.1', noDelay: true });
    client.setNoDelay(true);
    join(client, upstream, createTap(sent, ++connections));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sent,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

type Tap = ReturnType<typeof createTap>;

function join(client: Socket, upstream: Socket, tap: Tap): void {
  client.on('data', (bytes) => {
    tap.request.read(bytes);
    upstream.write(bytes);
  });
  upstream.on('data', (bytes) => {
    tap.response.read(bytes);
    client.write(bytes);
  });
  client.on('end', () => upstream.end());
  upstream.on('end', () => {
    tap.close(false);
    client.end();
  });
  // An error is a reset of the connection, and passes as one.
  client.on('error', () => upstream.resetAndDestroy());
  upstream.on('error', () => {
    tap.close(false);
    client.resetAndDestroy();
  });
  client.on('close', () => {
    tap.close(true);
    upstream.destroy();
  });
  upstream.on('close', () => client.destroySoon());
}

/** Time in Unix milliseconds, with a fraction. */
const now = () => performance.timeOrigin + performance.now();
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 12);

/** Logs what passes on one connection. */
function createTap(sent: Sent[], connection: number) {
  const waiting: Sent[] = [];
  let body: Buffer[] = [];
  let answer: Buffer[] = [];
  let current: Sent | undefined;
  const request = new MessageReader({
    onHead(startLine, header) {
      const [method = '', target = ''] = startLine.split(' ');
      body = [];
      current = { atMs: now(), doneMs: Number.POSITIVE_INFINITY, connection, method, target, status: 0 };
      const [scheme, key] = (header('authorization') ?? '').split(' ');
      if (scheme?.toLowerCase() === 'bearer' && key !== undefined) current.key = key;
      const call = header('x-sim-call') ?? header('idempotency-key');
      if (call !== undefined) current.call = call;
      sent.push(current);
      waiting.push(current);
      return undefined;
    },
    onBody(bytes) {
      body.push(bytes);
    },
    onEnd() {
      const bytes = Buffer.concat(body);
      if (current === undefined || bytes.length === 0) return;
      Object.assign(current, { body: hash(bytes), bodyBytes: bytes.length });
      const pet = parse(bytes);
      if (typeof pet?.name === 'string') current.pet = pet.name;
    },
  });
  const response = new MessageReader({
    onHead(startLine, header) {
      const to = waiting[0];
      answer = [];
      if (to === undefined) return undefined;
      to.status = Number(startLine.split(' ')[1]);
      for (const name of headerNames) {
        const value = header(name);
        if (value !== undefined) to[name] = value;
      }
      return to.method === 'HEAD' || to.status === 204 || to.status === 304 ? 'no body' : undefined;
    },
    onBody(bytes) {
      answer.push(bytes);
    },
    onEnd() {
      const to = waiting.shift();
      if (to === undefined) return;
      const value = parse(Buffer.concat(answer));
      to.doneMs = now();
      to.isReadable = value !== undefined;
      if (typeof value?.code === 'string') to.code = value.code;
      if (Array.isArray(value)) to.shown = value.map((pet) => pet?.name);
    },
  });
  return {
    request,
    response,
    close(byClient: boolean) {
      response.close();
      for (const open of waiting.splice(0)) Object.assign(open, { doneMs: now(), isLeft: byClient });
    },
  };
}

const headerNames = ['date', 'retry-after', 'x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

/** The value of a JSON text; `undefined` for any other text. */
function parse(bytes: Buffer) {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
