import type { ServerResponse } from 'node:http';
import type { EntryJson } from '../../control-api/entry-view.js';

/** Events are put together in pieces of memory of this size. */
const pieceBytes = 64 * 1024;
/** What is there is written at most so long after what was written before. */
const everyMs = 20;
/** A reader that lets more than this wait in the server is dropped. */
const mostWaitingBytes = 1024 * 1024;

/** Sends journal entries as events, many with one write: to write each takes longer than to answer its request. */
export function createEventBatch(response: ServerResponse) {
  let piece: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  /** One that has been sent: new memory for each costs the system as much as to send it. */
  let spare: Buffer | undefined;
  /** What of the piece is filled, and what of that is written. */
  let filled = 0;
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  let writtenMs = Number.NEGATIVE_INFINITY;

  /** @param sent called when nothing of the piece is needed any more */
  function write(sent?: () => void): void {
    clearTimeout(timer);
    timer = undefined;
    writtenMs = performance.now();
    if (response.destroyed) return;
    response.write(piece.subarray(written, filled), sent);
    written = filled;
    if (response.writableLength > mostWaitingBytes) response.destroy();
  }

  function makeRoom(bytes: number): void {
    const full = piece;
    if (filled > written) {
      write(() => {
        if (full.length === pieceBytes) spare = full;
      });
    }
    if (spare !== undefined && bytes <= pieceBytes) {
      piece = spare;
      spare = undefined;
    } else piece = Buffer.allocUnsafeSlow(Math.max(pieceBytes, bytes));
    filled = 0;
    written = 0;
  }

  return {
    add(id: number, { start, body, end }: EntryJson): void {
      const head = `id: ${id}\nevent: request\ndata: ${start}`;
      // A UTF-16 unit is at most three bytes of UTF-8.
      const most = 3 * (head.length + end.length) + body.length + 2;
      if (filled + most > piece.length) makeRoom(most);
      filled += piece.write(head, filled);
      piece.set(body, filled);
      filled += body.length;
      filled += piece.write(`${end}\n\n`, filled);
      timer ??= setTimeout(() => write(), writtenMs + everyMs - performance.now());
    },
    /** Writes what is there. */
    end(): void {
      if (filled > written) write();
    },
  };
}
