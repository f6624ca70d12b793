import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createConnections } from '../../in-process/fetch.js';

/** How many connections may be open at a time, over all addresses of a server. */
const maximumConnections = 1_000;

interface Connection {
  /** For the journal. */
  number: number | undefined;
  /** The last request that arrived, and its answer; let go once that has been sent. */
  request: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** Whether a request was answered, and none has arrived since. */
  isIdle: boolean;
}

/**
 * The open connections of a server. When there are too many, the one that matters least is closed for a new one, so that
 * clients that hold connections open cannot lock others out.
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

  /** Notes that a request has arrived. */
  serve(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.request = request;
    connection.response = response;
    connection.isIdle = false;
  }

  /** Lets go of a request whose answer has been sent: kept until the next one, the garbage collector would copy both. */
  release(request: IncomingMessage, response: ServerResponse): void {
    if (!response.writableFinished) return;
    const connection = this.#open.get(request.socket);
    if (connection?.request !== request) return;
    connection.request = undefined;
    connection.response = undefined;
    connection.isIdle = true;
  }

  /**
   * Numbers connections in the order of their first call of the API; a closed one leaves its number to the next. One from a
   * proxy that says so brings the requests of many clients, so each of these has a number of its own.
   */
  numberOf({ socket, headers }: IncomingMessage): number | undefined {
    if (headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined) return this.#numbers.take();
    const connection = this.#open.get(socket);
    if (connection !== undefined) connection.number ??= this.#numbers.take();
    return connection?.number;
  }

  /** Closes those that have not sent a byte. Clients open some in advance, and Node does not count them as idle. */
  closeUnused(): void {
    for (const socket of this.#open.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.destroy();
  }

  /**
   * Closes the oldest connection without a request; else the oldest that waits for the next request; else the oldest
   * that has not sent all of its request, or does not read its answer.
   * @returns `false` when the server works on an answer for every one
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
    // Not only when it is closed: more may come before that.
    this.#open.delete(socket);
    socket.destroy();
    return true;
  }
}
