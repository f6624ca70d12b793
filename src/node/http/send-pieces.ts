import type { ServerResponse } from 'node:http';
import { drained } from './drained.js';
import { mostTurnMs, nextTurn } from './turn.js';

/** Pieces are put together to about this many characters. */
const chunkLength = 64 * 1024;
/** A client that reads nothing for so long is dropped. */
export const stalledMs = 30_000;

/** Sends a text in pieces, no faster than the client reads it. Other requests are served in between. */
export async function sendPieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  response.setTimeout(stalledMs, () => response.destroy());
  let text = '';
  let turnMs = performance.now();
  for (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength && performance.now() < turnMs + mostTurnMs) continue;
    const isTaken = response.write(text);
    text = '';
    if (!isTaken) await drained(response);
    // Also then: where the system takes all at once, the stream is drained in the same turn.
    await nextTurn();
    if (response.destroyed) return;
    turnMs = performance.now();
  }
  response.end(text);
}
