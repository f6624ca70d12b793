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
    // Node gives a response its socket only after the earlier responses on the connection were sent. A request whose
    // response has no socket therefore waits.
    if (response.socket !== null) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    // Pauses the socket only after Node has parsed all requests of the current chunk of bytes. Node resumes the socket
    // after each parsed request, so an earlier pause would have no effect.
    if (count === maximumWaiting) process.nextTick(() => isFull(socket) && socket.pause());
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === maximumWaiting - 1) socket.resume();
      // Handles the request in Node's next tick, because Node emits the event `socket` before the response object is
      // ready.
      process.nextTick(serve, request, response);
    });
  };
}
