import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Number of unanswered requests on a connection at which the server stops reading more. */
const maximumWaiting = 100;

/**
 * Handles the requests of a connection one after the other. A client that sends several at once may rely on the effects
 * of earlier ones (RFC 9112 section 9.3.2).
 */
export function inOrder(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const isFull = (socket: Socket) => (waiting.get(socket) ?? 0) >= maximumWaiting;
  return (request, response) => {
    // A response has its socket once the previous responses on the connection were sent.
    if (response.socket !== null) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    // Pauses the socket later, because Node resumes it after every request of the current chunk.
    if (count === maximumWaiting) process.nextTick(() => isFull(socket) && socket.pause());
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === maximumWaiting - 1) socket.resume();
      // Starts the request later, because Node is still preparing its response.
      process.nextTick(serve, request, response);
    });
  };
}
