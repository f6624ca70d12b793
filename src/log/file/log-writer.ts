import { closeSync, fstatSync, ftruncateSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { LogUnavailableError } from '../log.js';
import { bytesOf, logName, unfinished } from './folder-files.js';
import type { LogHeader } from './headers.js';
import { formatLine } from './line.js';

/** The file that the log goes on in. Every write is whole or leaves nothing. */
export class LogWriter {
  readonly #folder: string;
  #name = '';
  #file: number | undefined;
  #size = 0;
  /** A write failed and what it left could not be cut off yet. */
  #isTorn = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The open file, to be flushed. */
  get file(): number {
    return this.#file as number;
  }

  /** Goes on in a file that ends with a whole entry. */
  open(name: string): void {
    this.#use(name, bytesOf(this.#folder, name));
  }

  /**
   * Goes on in a new file, whose header is whole when its name is there. The old one stays open, for a last flush.
   * @returns the old file
   * @throws what the system says; it goes on in the old file then
   */
  begin(header: LogHeader): number | undefined {
    const name = logName(header.after + 1);
    const path = join(this.#folder, name);
    const text = formatLine(header, 0).text;
    const old = this.#file;
    try {
      writeFileSync(unfinished(path), text, { mode: 0o600 });
      renameSync(unfinished(path), path);
    } catch (error) {
      rmSync(unfinished(path), { force: true });
      throw error;
    }
    this.#use(name, Buffer.byteLength(text));
    return old;
  }

  /** Whether the file has no name any more: what is written to it is lost with this process. */
  get isRemoved(): boolean {
    return fstatSync(this.file).nlink === 0;
  }

  /** @throws {LogUnavailableError} when the system takes less than all of it; nothing stays then */
  write(bytes: Buffer): void {
    try {
      this.#mend();
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.file, bytes, done, bytes.length - done, this.#size + done);
      }
      this.#size += bytes.length;
    } catch (error) {
      this.#isTorn = true;
      this.#tryToMend();
      throw unavailable(this.#name, error);
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #use(name: string, size: number): void {
    this.#file = openSync(join(this.#folder, name), 'r+');
    this.#name = name;
    this.#size = size;
    this.#isTorn = false;
  }

  #mend(): void {
    if (!this.#isTorn) return;
    ftruncateSync(this.file, this.#size);
    this.#isTorn = false;
  }

  /** What cannot be cut off now is cut off before the next write, or at the next start. */
  #tryToMend(): void {
    try {
      this.#mend();
    } catch {}
  }
}

/** What the system says of a file that cannot be written, as what to do. */
export function unavailable(name: string, error: unknown): LogUnavailableError {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const reason = full.has(code) ? `the disk is full (${code}); make room, and it goes on` : message;
  return new LogUnavailableError(`Failed to write to ${name}: ${reason}.`, { cause: error });
}

/** No room on the disk, none of this user's share, or none that one file may take. */
const full = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
