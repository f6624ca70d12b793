import type { ServerResponse } from 'node:http';
import { setImmediate } from './turn.js';

/** With fewer answers in a turn, each goes out at once: the client can go on while the next one is made. */
const fewestTogether = 3;

let answered = 0;
let isBusy = false;
let waiting: { response: ServerResponse; bytes: string }[] = [];

/**
 * Ends an answer: at once, or under load together with the others of this turn of the event loop. To end them one after another
 * takes the kernel half as long, because the client is woken once and not by each of them.
 * @param bytes each as one character
 */
export function endTogether(response: ServerResponse, bytes: string): void {
  if (answered++ === 0) setImmediate(endTurn);
  if (isBusy) waiting.push({ response, bytes });
  else response.end(bytes, 'latin1');
}

function endTurn(): void {
  isBusy = answered >= fewestTogether;
  answered = 0;
  const ended = waiting;
  waiting = [];
  for (const { response, bytes } of ended) response.end(bytes, 'latin1');
}
