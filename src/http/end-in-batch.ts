import type { ServerResponse } from 'node:http';
import { setImmediate } from './event-loop-turns.js';

/** Minimum number of responses in one event-loop turn that are sent together. Fewer responses are sent immediately. */
const fewestTogether = 3;

/** Fields of a response that Node sets in `writeHead`. Other runtimes may lack them. */
interface NodeHead {
  readonly _header?: string | null;
  readonly _hasBody?: boolean;
  _headerSent?: boolean;
}

/**
 * Ends a response whose head is complete.
 * @param body UTF-8 of the body, one character per byte
 */
export type EndResponse = (response: ServerResponse, body: string) => void;

export const endResponse: EndResponse = (response: ServerResponse & NodeHead, body) => {
  const { socket, _header: head } = response;
  if (!response._hasBody || typeof head !== 'string' || !socket?.writable) {
    response.end(body, 'latin1');
    return;
  }
  // Writes head and body as one text, which Node copies to its stack. `end` would add an empty text, and Node would
  // allocate memory for both; this takes a seventh more processor time per request (measured with wrk).
  socket.write(head + body, 'latin1');
  response._headerSent = true;
  response.end();
};

/**
 * Creates a function that sends the responses of a server. Under load, sends all responses of one event-loop turn
 * together. This takes a fifth less processor time (measured with wrk), because a client wakes up once for several
 * responses.
 */
export function createBatchedEnd(): EndResponse {
  let answered = 0;
  let isBusy = false;
  let waiting: Parameters<EndResponse>[] = [];
  const endTurn = () => {
    isBusy = answered >= fewestTogether;
    answered = 0;
    const ended = waiting;
    waiting = [];
    for (const [response, body] of ended) endResponse(response, body);
  };
  return (response, body) => {
    if (answered++ === 0) setImmediate(endTurn);
    if (isBusy) waiting.push([response, body]);
    else endResponse(response, body);
  };
}
