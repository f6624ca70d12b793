import type { ServerResponse } from 'node:http';
import { startTimeSlice } from './event-loop-turns.js';
import { waitForDrain } from './wait-for-drain.js';

/** Approximate number of characters in one write of a long response. */
const chunkLength = 64 * 1024;
/** Time after which a client that reads nothing is disconnected. */
export const stalledMs = 30_000;

/** Sends a long response in pieces, as fast as the client reads. The server handles other requests in between. */
export async function sendPieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  response.setTimeout(stalledMs, () => response.destroy());
  let text = '';
  const slice = startTimeSlice();
  for (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength && !slice.isOver()) continue;
    const isTaken = response.write(text);
    text = '';
    if (!isTaken) await waitForDrain(response);
    // Waits for one slice of the event loop after each part of a long response, so that the server handles other
    // requests even if the client reads fast.
    await slice.next();
    if (response.destroyed) return;
  }
  response.end(text);
}
