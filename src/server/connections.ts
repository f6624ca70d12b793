import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createConnections } from '../in-process/fetch.js';

/** Default maximum number of open connections, over all addresses of a server, without those of event streams. */
const maximumConnections = 1_000;

interface Connection {
  /** Number of the connection in the journal; `undefined` before the connection's first API request. */
  number: number | undefined;
  /** Last request on the connection; `undefined` after its response was sent, to free memory. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** Whether the connection is between two requests. */
  isIdle: boolean;
  /** Whether the connection is an event stream, which is limited elsewhere. */
  isExempt: boolean;
}

/**
 * Open connections of a server. At the maximum number, a new connection replaces an unused, idle or slow one. A client
 * with many idle connections therefore cannot block other clients.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #numbers = createConnections();
  readonly #maximum: number;
  #exempt = 0;

  constructor(maximum = maximumConnections) {
    this.#maximum = maximum;
  }

  add(socket: Socket): void {
    if (this.#open.size - this.#exempt >= this.#maximum && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const connection: Connection = {
      number: undefined,
      request: undefined,
      response: undefined,
      isIdle: false,
      isExempt: false,
    };
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      if (connection.isExempt) this.#exempt--;
      if (connection.number !== undefined) this.#numbers.free(connection.number);
    });
  }

  /** Excludes a request's connection from the maximum number of connections, until it closes. */
  exempt({ socket }: IncomingMessage): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.isExempt) return;
    connection.isExempt = true;
    this.#exempt++;
  }

  /** Registers a new request and its response as the latest of their connection, and marks the connection as busy. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.request = request;
    connection.response = response;
    connection.isIdle = false;
  }

  /**
   * Removes the references to a request and its response after the response was sent. With the references, both objects
   * would stay in memory until the connection's next request, and the garbage collector would copy them.
   */
  release(request: IncomingMessage, response: ServerResponse): void {
    if (!response.writableFinished) return;
    const connection = this.#open.get(request.socket);
    if (connection?.request !== request) return;
    connection.request = undefined;
    connection.response = undefined;
    connection.isIdle = true;
  }

  /**
   * Returns the journal's number of a request's connection. Each request through a proxy has a new number, because a
   * proxy's connection carries many clients (`Forwarded`, `X-Forwarded-For`).
   */
  numberOf({ socket, headers }: IncomingMessage): number | undefined {
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return this.#numbers.take();
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.number ??= this.#numbers.take();
    return connection?.number;
  }

  /**
   * Closes connections on which no byte arrived, at shutdown. Clients open some in advance, and Node does not count
   * these as idle.
   */
  closeUnused(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /** Resets all connections, because it is unknown whether their requests have taken effect. */
  resetAll(): void {
    for (const socket of this.#open.keys()) socket.resetAndDestroy();
  }

  /**
   * Closes the oldest connection without any request so far; without one, the oldest between requests, then the oldest
   * with a slow client.
   * @returns `false` if the server is computing a response for every connection
   */
  #makeRoom(): boolean {
    let idle: Socket | undefined;
    let slow: Socket | undefined;
    for (const [socket, { request, response, isIdle, isExempt }] of this.#open) {
      if (isExempt) continue;
      if (isIdle || response?.writableFinished) idle ??= socket;
      else if (request === undefined || response === undefined) return this.#close(socket);
      else if (!request.complete || response.writableEnded) slow ??= socket;
    }
    const least = idle ?? slow;
    return least !== undefined && this.#close(least);
  }

  #close(socket: Socket): true {
    // Until its `close` event, the destroyed socket would count towards the maximum number of connections.
    this.#open.delete(socket);
    socket.destroy();
    return true;
  }
}
