import type { ServerResponse } from 'node:http';
import { setImmediate } from './event-loop-turns.js';

/** Minimum number of responses in one event-loop turn that are sent together. Fewer responses are sent immediately. */
const fewestTogether = 3;

/**
 * Ends a response.
 * @param bytes bytes of the body, or an ASCII text
 */
export type EndResponse = (response: ServerResponse, bytes: string | Uint8Array) => void;

export const endResponse: EndResponse = (response, bytes) => void response.end(bytes, 'latin1');

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
    for (const [response, bytes] of ended) endResponse(response, bytes);
  };
  return (response, bytes) => {
    if (answered++ === 0) setImmediate(endTurn);
    if (isBusy) waiting.push([response, bytes]);
    else endResponse(response, bytes);
  };
}
