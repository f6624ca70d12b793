import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Number of pending requests on one connection at which reading from it stops. */
const maximumWaiting = 100;

/**
 * Serves the requests of one connection in sequence, each after the previous response was sent: a pipelining client may
 * rely on the effects of earlier requests (RFC 9112 section 9.3.2).
 */
export function inOrder(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const isFull = (socket: Socket) => (waiting.get(socket) ?? 0) >= maximumWaiting;
  return (request, response) => {
    // Node assigns a response its socket after the previous responses were sent.
    if (response.socket !== null) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    // Deferred, because Node resumes the socket after every request in the current chunk.
    if (count === maximumWaiting) process.nextTick(() => isFull(socket) && socket.pause());
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === maximumWaiting - 1) socket.resume();
      // Deferred, because Node is still setting up the response.
      process.nextTick(serve, request, response);
    });
  };
}
