import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** With this many requests waiting on one connection, nothing more is read from it. */
const maximumWaiting = 100;

/**
 * Serves the requests of one connection one after another, each when the answer to the one before has been sent: a client
 * that pipelines may rely on what an earlier request has changed (RFC 9112 section 9.3.2).
 */
export function inOrder(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const isFull = (socket: Socket) => (waiting.get(socket) ?? 0) >= maximumWaiting;
  return (request, response) => {
    // Node gives a response its socket when the responses before it have been sent.
    if (response.socket !== null) {
      serve(request, response);
      return;
    }
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    // Later, because Node resumes the socket behind every request of the chunk that it parses now.
    if (count === maximumWaiting) process.nextTick(() => isFull(socket) && socket.pause());
    response.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === maximumWaiting - 1) socket.resume();
      // Later, because Node is still at work on the response.
      process.nextTick(serve, request, response);
    });
  };
}
