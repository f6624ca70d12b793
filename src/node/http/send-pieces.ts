import type { ServerResponse } from 'node:http';
import { drained } from './drained.js';
import { mostTurnMs, nextTurn } from './turn.js';

/** Approximate size of one write, in characters. */
const chunkLength = 64 * 1024;
/** Time without reading after which a client is disconnected, in milliseconds. */
export const stalledMs = 30_000;

/** Sends a text in pieces, no faster than the client reads it. Other requests are handled in between. */
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
    // Always yields: `drained` resolves in the same turn if the system accepts all data at once.
    await nextTurn();
    if (response.destroyed) return;
    turnMs = performance.now();
  }
  response.end(text);
}
