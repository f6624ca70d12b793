import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';

/** Address of a server: its host, without brackets, and port. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Path at which the active server responds with the fence of its turn, and keeps the response open during the turn. */
export const activeServerPath = '/__sim/active-server';

/** Line that ends the response under `activeServerPath` if the server stops in order. */
export const stoppingLine = 'stopping\n';

/** Default maximum number of a standby's connections that it passes on or holds. */
const maximumConnections = 1_000;
/** Time that a connection waits for an active server. */
const holdMs = 5_000;

/** Connection of a client that is passed on or held. */
interface Guest {
  /** Value of `performance.now()` at the last byte in either direction. */
  activeMs: number;
  /** Connection to the active server; `undefined` while the client's connection is held. */
  far: Socket | undefined;
  readonly serve: () => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/**
 * Decides for each connection of a server that shares its simulator: the server handles it, passes it on to the active
 * server byte by byte, or holds it until an active server is known. After five seconds, a held connection is handled, as
 * by a server that is not ready.
 */
export class Front {
  /** Active server: this one, another one, or none that is known. */
  #active: 'here' | Address | undefined;
  readonly #guests = new Map<Socket, Guest>();
  /** Open responses under `activeServerPath`. */
  readonly #links = new Set<ServerResponse>();
  readonly #maximum: number;
  #fence = '';

  constructor(maximum = maximumConnections) {
    this.#maximum = maximum;
  }

  /**
   * Handles a new connection.
   * @param serve handles it by this server's own HTTP server
   */
  accept(socket: Socket, serve: () => void): void {
    if (this.#active === 'here') {
      serve();
      return;
    }
    if (this.#guests.size >= this.#maximum) this.#resetOldest();
    const guest: Guest = { activeMs: performance.now(), far: undefined, serve, timer: undefined };
    this.#guests.set(socket, guest);
    socket
      .setNoDelay(true)
      .on('error', () => guest.far?.resetAndDestroy())
      .once('close', () => {
        clearTimeout(guest.timer);
        this.#guests.delete(socket);
      });
    this.#receive(socket, guest);
  }

  /** Lets this server handle all connections, in the turn with a fence. */
  serveHere(fence: string): void {
    this.#fence = fence;
    this.#activate('here');
  }

  /** Passes all connections on to another server. */
  passTo(address: Address): void {
    this.#activate(address);
  }

  /** Holds new connections until the active server is known. Those that are passed on stay, because they may end in order. */
  hold(): void {
    this.#active = undefined;
  }

  /** Resets all connections that are passed on, because the active server has changed or is lost. */
  reset(): void {
    this.hold();
    for (const [socket, { far }] of this.#guests) if (far !== undefined) socket.resetAndDestroy();
    for (const link of this.#links) link.destroy();
  }

  /**
   * Responds to a request under `activeServerPath`.
   * @returns `false` for any other request
   */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    if (this.#active !== 'here' || request.url !== activeServerPath || request.method !== 'GET') return false;
    this.#links.add(response);
    response.once('close', () => this.#links.delete(response));
    response.writeHead(200, { 'Content-Type': 'text/plain', Connection: 'close' }).write(`${this.#fence}\n`);
    return true;
  }

  /** Tells the standbys that this server stops, and closes the connections that no server has received. */
  stop(): void {
    for (const link of this.#links) link.end(stoppingLine);
    for (const [socket, { far }] of this.#guests) if (far === undefined) socket.destroy();
  }

  closeAll(): void {
    for (const socket of this.#guests.keys()) socket.destroy();
  }

  #activate(active: 'here' | Address): void {
    this.#active = active;
    for (const [socket, guest] of [...this.#guests]) if (guest.far === undefined) this.#receive(socket, guest);
  }

  #receive(socket: Socket, guest: Guest): void {
    clearTimeout(guest.timer);
    if (this.#active === undefined) guest.timer = setTimeout(() => this.#serve(socket, guest), holdMs);
    else if (this.#active === 'here') this.#serve(socket, guest);
    else this.#pass(socket, guest, this.#active);
  }

  #serve(socket: Socket, { serve, timer }: Guest): void {
    clearTimeout(timer);
    this.#guests.delete(socket);
    serve();
  }

  #pass(socket: Socket, guest: Guest, { host, port }: Address): void {
    const far = connect({ host, port, allowHalfOpen: true, noDelay: true });
    guest.far = far;
    let isConnected = false;
    far
      .once('connect', () => {
        isConnected = true;
        const note = () => {
          guest.activeMs = performance.now();
        };
        socket.on('data', note).pipe(far).on('data', note).pipe(socket);
      })
      .on('error', () => {
        if (isConnected) return socket.resetAndDestroy();
        // The active server has received nothing, so another one can handle the connection.
        guest.far = undefined;
        if (!socket.destroyed) guest.timer = setTimeout(() => this.#serve(socket, guest), holdMs);
      })
      .once('close', () => {
        if (isConnected && !socket.destroyed && !far.readableEnded) socket.destroy();
      });
    socket.once('close', () => {
      if (!socket.readableEnded) far.destroy();
    });
  }

  /** Resets the connection without traffic for the longest time, as a standby cannot see which ones are idle. */
  #resetOldest(): void {
    let oldest: Socket | undefined;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const [socket, { activeMs }] of this.#guests) {
      if (activeMs >= leastMs) continue;
      oldest = socket;
      leastMs = activeMs;
    }
    if (oldest === undefined) return;
    this.#guests.delete(oldest);
    oldest.resetAndDestroy();
  }
}
