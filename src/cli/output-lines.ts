import { writeSync } from 'node:fs';

/** Time for which log lines are buffered. Without a buffer, a busy server loses 40 % of its requests per second. */
const everyMs = 50;
/**
 * Length of the buffered output, in characters, at which the buffer is written at once: half the capacity of a pipe on
 * Linux.
 */
const enoughLength = 32 * 1024;
/**
 * Maximum length of the buffer for output lines, in characters. Further lines are dropped until the buffer is written.
 */
const maximumLength = 1024 * 1024;
/** Maximum time for which the end of the process waits for a slow reader of the output. */
const maximumExitMs = 300;

/** Function that writes one line, without its newline. */
export type WriteLine = (line: string) => void;

/**
 * Creates a buffered writer of lines to standard output. Never waits for a slow reader, but drops whole lines;
 * `formatDropped` formats a line with the number of dropped lines. The buffer is written when the process ends, also
 * after an exception.
 */
export function createOutputLines(formatDropped: (count: number) => string): WriteLine {
  const { stdout } = process;
  let gathered = '';
  let tryAtLength = enoughLength;
  let dropped = 0;
  /** Chunk that is being written to standard output. The first `writtenBytes` bytes are done. */
  let bytes = Buffer.alloc(0);
  let writtenBytes = 0;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Writes as much of the buffer as the reader accepts. @returns whether the buffer is empty */
  function flush(): boolean {
    clearTimeout(timer);
    timer = undefined;
    try {
      while (!isClosed) {
        if (writtenBytes === bytes.length && !takeGathered()) return true;
        // Writes the lines later if Node's `stdout` stream still holds earlier output, because that output must appear
        // first.
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
    // Does not keep the process alive for the timer, because the listener of `exit` below writes the buffered lines
    // when the process ends.
    timer ??= setTimeout(flush, everyMs).unref();
  }

  process.once('exit', () => {
    const endMs = performance.now() + maximumExitMs;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    while (!flush() && performance.now() < endMs) Atomics.wait(pause, 0, 0, 5);
  });

  return (line) => {
    if (isClosed) return;
    if (dropped > 0 || gathered.length + line.length > maximumLength) {
      dropped++;
      return;
    }
    gathered += `${line}\n`;
    if (gathered.length >= tryAtLength) flush();
    else writeSoon();
  };
}
