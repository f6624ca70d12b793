import { writeSync } from 'node:fs';

/** Buffering time of lines, in milliseconds: one write per line costs a busy server 40 % of its requests per second. */
const everyMs = 50;
/** Buffer size that is written immediately, in characters: half the capacity of a pipe on Linux. */
const enoughLength = 32 * 1024;
/** Maximum buffer size, in characters; further lines are dropped. */
const mostLength = 1024 * 1024;
/** Maximum wait for a slow reader at the end of the process, in milliseconds. */
const mostExitMs = 300;

/** Writes one line, given without its newline. */
export type WriteLine = (line: string) => void;

/**
 * Creates a buffered writer of lines to standard output. A slow reader never blocks the process: whole lines are
 * dropped, and `formatDropped` formats the line with their number. The end of the process flushes the buffer, also after
 * an exception.
 */
export function createOutputLines(formatDropped: (count: number) => string): WriteLine {
  const { stdout } = process;
  let gathered = '';
  let tryAtLength = enoughLength;
  let dropped = 0;
  /** Chunk that is being written, from `writtenBytes` on. */
  let bytes = Buffer.alloc(0);
  let writtenBytes = 0;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Writes as much as the reader accepts. @returns whether the buffer is empty */
  function flush(): boolean {
    clearTimeout(timer);
    timer = undefined;
    try {
      while (!isClosed) {
        if (writtenBytes === bytes.length && !takeGathered()) return true;
        // Others write to the stream too, and its buffered output precedes these lines.
        if (stdout.writableLength > 0) break;
        writtenBytes += writeSync(stdout.fd, bytes, writtenBytes);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') close(error as Error);
    }
    if (isClosed) return true;
    tryAtLength = gathered.length + enoughLength;
    writeSoon();
    return false;
  }

  function takeGathered(): boolean {
    if (dropped > 0) gathered += `${formatDropped(dropped)}\n`;
    dropped = 0;
    bytes = Buffer.from(gathered);
    writtenBytes = 0;
    gathered = '';
    tryAtLength = enoughLength;
    return bytes.length > 0;
  }

  function close(error: Error): void {
    isClosed = true;
    gathered = '';
    bytes = Buffer.alloc(0);
    stdout.emit('error', error);
  }

  function writeSoon(): void {
    // Must not keep the process alive; the exit handler writes the rest.
    timer ??= setTimeout(flush, everyMs).unref();
  }

  process.once('exit', () => {
    const endMs = performance.now() + mostExitMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!flush() && performance.now() < endMs) Atomics.wait(pause, 0, 0, 5);
  });

  return (line) => {
    if (isClosed) return;
    if (dropped > 0 || gathered.length + line.length > mostLength) {
      dropped++;
      return;
    }
    gathered += `${line}\n`;
    if (gathered.length >= tryAtLength) flush();
    else writeSoon();
  };
}
