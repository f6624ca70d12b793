import { readSync } from 'node:fs';

/** A line of a file, without its newline. */
export interface Line {
  readonly bytes: Buffer;
  /** Where it begins in the file. */
  readonly offset: number;
  /** Whether a newline ends it; only the last line may be without. */
  readonly isEnded: boolean;
}

const chunkBytes = 256 * 1024;

/** The lines of an open file from an offset on. `bytes` may be used only until the next line is asked for. */
export function* readLines(file: number, from = 0): Generator<Line, void, undefined> {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  /** The part of the buffer that holds what was read and not yet given out. */
  let start = 0;
  let end = 0;
  let offset = from;
  for (;;) {
    const newline = buffer.subarray(0, end).indexOf(10, start);
    if (newline >= 0) {
      yield { bytes: buffer.subarray(start, newline), offset, isEnded: true };
      offset += newline + 1 - start;
      start = newline + 1;
      continue;
    }
    // Long lines make room for themselves by doubling.
    const next = end - start > buffer.length / 2 ? Buffer.allocUnsafe(buffer.length * 2) : buffer;
    buffer.copy(next, 0, start, end);
    buffer = next;
    end -= start;
    start = 0;
    const read = readSync(file, buffer, end, buffer.length - end, offset + end);
    if (read > 0) {
      end += read;
      continue;
    }
    if (end > 0) yield { bytes: buffer.subarray(0, end), offset, isEnded: false };
    return;
  }
}
