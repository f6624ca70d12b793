import type { ServerResponse } from 'node:http';

/** Pieces are put together to about this many characters. */
const chunkLength = 64 * 1024;
/** A client that reads nothing for so long is dropped. */
const stalledMs = 30_000;

/** Sends a text in pieces, no faster than the client reads it. Other requests are served in between. */
export async function sendPieces(response: ServerResponse, pieces: Iterable<string>): Promise<void> {
  response.setTimeout(stalledMs, () => response.destroy());
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < chunkLength) continue;
    const isTaken = response.write(text);
    text = '';
    if (!isTaken) await drained(response);
    // Also then: where the system takes all at once, the stream is drained in the same turn.
    await nextTurn();
    if (response.destroyed) return;
  }
  response.end(text);
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Resolves when the client has read what was written, or has gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      response.off('drain', finish).off('close', finish);
      resolve();
    };
    response.on('drain', finish).on('close', finish);
  });
}
