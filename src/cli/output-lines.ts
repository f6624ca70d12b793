import { writeSync } from 'node:fs';

/** Lines are gathered for so long, so that a busy server does not write each by itself (+40 % requests a second). */
const everyMs = 50;
/** With so much gathered they are written at once: half of what a pipe of Linux holds. */
const enoughLength = 32 * 1024;
/** Of what nobody reads only so much waits; further lines are left out. */
const mostLength = 1024 * 1024;
/** How long the end of the process waits for a reader. */
const mostExitMs = 300;

/** Takes one line, without its end. */
export type WriteLine = (line: string) => void;

/**
 * Writes lines to standard output, gathered, in their order. A reader that is slow, paused or gone holds nothing up: lines
 * are left out then, whole ones, and `tellDropped` says in their place how many. What is gathered when the process ends is
 * written then, also when an exception ends it.
 */
export function createOutputLines(tellDropped: (count: number) => string): WriteLine {
  const { stdout } = process;
  let gathered = '';
  let tryAtLength = enoughLength;
  let dropped = 0;
  /** What was taken out of `gathered`, from `writtenBytes` on. */
  let bytes = Buffer.alloc(0);
  let writtenBytes = 0;
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** Writes what the reader takes now. @returns whether that was all */
  function flush(): boolean {
    clearTimeout(timer);
    timer = undefined;
    try {
      while (!isClosed) {
        if (writtenBytes === bytes.length && !takeGathered()) return true;
        // The stream is there for others; what it holds back comes first.
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
    if (dropped > 0) gathered += `${tellDropped(dropped)}\n`;
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
    // Not to keep the process alive: its end writes the rest.
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
