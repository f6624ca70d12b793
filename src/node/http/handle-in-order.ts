import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Number of unanswered requests on a connection at which the server stops reading further requests. */
const maximumWaiting = 100;

/**
 * Handles the requests of a connection one after the other. A client that sends several at once may rely on the effects
 * of earlier ones (RFC 9112 section 9.3.2).
 */
export function handleInOrder(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const isFull = (socket: Socket) => (waiting.get(socket) ?? 0) >= maximumWaiting;
  return (request, response) => {
    // Node gives a response its socket once the previous responses on the connection were sent.
    if (response.socket !== null) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    // Pauses the socket after the current chunk, because Node resumes the socket after each request in this chunk.
    if (count === maximumWaiting) process.nextTick(() => isFull(socket) && socket.pause());
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === maximumWaiting - 1) socket.resume();
      // Handles the request in the next turn of the event loop, because Node is still preparing the response object.
      process.nextTick(serve, request, response);
    });
  };
}
