import type { ServerResponse } from 'node:http';
import type { EntryJson } from '../../control-api/entry-view.js';

/** Size of one buffer for events, in bytes. */
const pieceBytes = 64 * 1024;
/** Minimum interval between two writes, in milliseconds. */
const everyMs = 20;
/** Maximum size of unsent events, in bytes; a slower reader is disconnected. */
const mostWaitingBytes = 1024 * 1024;

/**
 * Creates a batch that sends many journal entries as events in one write. One write per entry takes longer than
 * handling the entry's request.
 */
export function createEventBatch(response: ServerResponse) {
  let piece: Buffer = Buffer.allocUnsafeSlow(pieceBytes);
  /** A sent buffer for reuse; allocating a new one costs as much as sending it. */
  let spare: Buffer | undefined;
  /** Number of filled bytes of the buffer, and of written ones. */
  let filled = 0;
  let written = 0;
  let timer: NodeJS.Timeout | undefined;
  let writtenMs = Number.NEGATIVE_INFINITY;

  /** @param sent called when the buffer is free for reuse */
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
    /** Writes the remaining events. */
    end(): void {
      if (filled > written) write();
    },
  };
}
