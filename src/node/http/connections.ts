import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createConnections } from '../../in-process/fetch.js';

/** Maximum number of open connections, over all addresses of a server. */
const maximumConnections = 1_000;

interface Connection {
  /** Number of the connection in the journal. */
  number: number | undefined;
  /** Last request and its response; released after the response was sent. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** Whether the last request has its response, and no further request has arrived. */
  isIdle: boolean;
}

/**
 * Open connections of a server. At the limit, the least useful one is closed for a new one, so that clients with many
 * open connections cannot lock others out.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #numbers = createConnections();

  add(socket: Socket): void {
    if (this.#open.size >= maximumConnections && !this.#makeRoom()) {
      socket.destroy();
      return;
    }
    const connection: Connection = { number: undefined, request: undefined, response: undefined, isIdle: false };
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
      if (connection.number !== undefined) this.#numbers.free(connection.number);
    });
  }

  /** Records the arrival of a request. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.request = request;
    connection.response = response;
    connection.isIdle = false;
  }

  /**
   * Releases a request after its response was sent; otherwise the garbage collector copies both until the next request.
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
   * Number of the request's connection, assigned at its first API request; a freed number is reused. Every request
   * through a proxy (`Forwarded`, `X-Forwarded-For`) has a new number, because many clients share such a connection.
   */
  numberOf({ socket, headers }: IncomingMessage): number | undefined {
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return this.#numbers.take();
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.number ??= this.#numbers.take();
    return connection?.number;
  }

  /**
   * Closes connections that have not sent a byte. Clients open some in advance, and Node does not count them as idle.
   */
  closeUnused(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /**
   * Closes the oldest connection without a request; otherwise the oldest idle one; otherwise the oldest with an incomplete
   * request or an unread response.
   * @returns `false` if the server is computing a response for every connection
   */
  #makeRoom(): boolean {
    let idle: Socket | undefined;
    let slow: Socket | undefined;
    for (const [socket, { request, response, isIdle }] of this.#open) {
      if (isIdle || response?.writableFinished) idle ??= socket;
      else if (request === undefined || response === undefined) return this.#close(socket);
      else if (!request.complete || response.writableEnded) slow ??= socket;
    }
    const least = idle ?? slow;
    return least !== undefined && this.#close(least);
  }

  #close(socket: Socket): true {
    // Removed now, because more connections may arrive before the socket is closed.
    this.#open.delete(socket);
    socket.destroy();
    return true;
  }
}
