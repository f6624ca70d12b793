import type { ServerResponse } from 'node:http';
import type { EntryJson } from '../entry-view.js';

/** Size of a buffer for journal events, in bytes. */
const pieceBytes = 64 * 1024;
/** Minimum interval between two writes of journal events. */
const everyMs = 20;
/** Maximum size of journal events that a client has not read yet, in bytes. A slower client is disconnected. */
const maximumWaitingBytes = 1024 * 1024;

/**
 * Collects journal entries as server-sent events, and sends many of them to a client in one write. A write per event
 * would take longer than the handling of the recorded request.
 */
export function createEventBatch(response: ServerResponse) {
  let piece: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  /**
   * Buffer whose events were sent, which is used again for later events. Allocating a new buffer would take as long as
   * sending its events.
   */
  let spare: Buffer | undefined;
  /**
   * Number of bytes of events in the buffer `piece` (`filled`), and number of these bytes already written to the client
   * (`written`).
   */
  let filled = 0;
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  let writtenMs = Number.NEGATIVE_INFINITY;

  /**
   * Writes the buffered events to the client.
   * @param sent called when the buffer can be reused
   */
  function write(sent?: () => void): void {
    clearTimeout(timer);
    timer = undefined;
    writtenMs = performance.now();
    if (response.destroyed) return;
    response.write(piece.subarray(written, filled), sent);
    written = filled;
    if (response.writableLength > maximumWaitingBytes) response.destroy();
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
      // Maximum size of a server-sent event in bytes. UTF-8 needs at most three bytes per JavaScript character.
      const maximumBytes = 3 * (head.length + end.length) + body.length + 2;
      if (filled + maximumBytes > piece.length) makeRoom(maximumBytes);
      filled += piece.write(head, filled);
      piece.set(body, filled);
      filled += body.length;
      filled += piece.write(`${end}\n\n`, filled);
      timer ??= setTimeout(() => write(), writtenMs + everyMs - performance.now());
    },
    /** Writes the events that are still in the buffer to the client. */
    end(): void {
      if (filled > written) write();
    },
  };
}
