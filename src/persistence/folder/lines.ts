import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { fromRecordText, toRecordText } from '../json-record.js';
import { type LogBirth, LogOpenError } from '../log.js';

/**
 * Files of JSON lines, each with a checksum (CRC-32) that continues the checksum of the line before: a line that is changed,
 * missing, moved or of another file is detected. A log, its snapshots and recordings are such files.
 */

/** Version of the file format; raised when older versions can no longer read the files. */
export const format = 1;

interface FileHeader {
  readonly format: number;
  /** Version of petstore-sim that wrote the file. */
  readonly version: string;
  readonly birth: LogBirth;
}

/** First line of a file of the log. */
export interface LogHeader extends FileHeader {
  readonly file: 'petstore-sim log';
  /** Position of the entry before the first one of the file. */
  readonly after: number;
  /** Checksum of that entry, which the first entry of the file continues. */
  readonly chain: number;
}

/** First line of a snapshot. */
export interface SnapshotHeader extends FileHeader {
  readonly file: 'petstore-sim snapshot';
  /** Position of the last applied entry. */
  readonly position: number;
  /** Checksum of that entry. */
  readonly chain: number;
  /** Latest incarnation until then. */
  readonly incarnation: number;
}

/** First line of a recording. */
export interface RecordingHeader extends FileHeader {
  readonly file: 'petstore-sim recording';
  readonly warning: string;
}

type Header = LogHeader | SnapshotHeader | RecordingHeader;

const opening = '{"crc":"';
/** Length of `{"crc":"0123abcd",`. */
const prefixLength = opening.length + 8 + 2;
/** Marks a line with an integer that JSON.parse would round. */
const exactMark = '"exact":true,';

/**
 * Formats a record as one line with its checksum.
 * @param chain checksum of the line before, 0 for the first
 */
export function formatLine(record: object, chain: number): { text: string; chain: number } {
  const { text, isExact } = toRecordText(record);
  const rest = (isExact ? exactMark : '') + text.slice(1);
  const sum = crc32(rest, chain);
  return { text: `${opening}${checksumText(sum)}",${rest}\n`, chain: sum };
}

const checksumText = (sum: number): string => sum.toString(16).padStart(8, '0');

/** A line of a file, without its newline. Valid until the next line is read. */
export class Line {
  readonly #bytes: Buffer;
  /** Start of the line in its file, in bytes. */
  readonly offset: number;
  /** Whether a newline ends the line; `false` only for a torn last line. */
  readonly isEnded: boolean;

  constructor(bytes: Buffer, offset: number, isEnded: boolean) {
    this.#bytes = bytes;
    this.offset = offset;
    this.isEnded = isEnded;
  }

  /** Size with the newline, in bytes. */
  get size(): number {
    return this.#bytes.length + 1;
  }

  /** Checksum stored in the line, unverified. */
  get storedChecksum(): number {
    return Number.parseInt(this.#bytes.toString('latin1', opening.length, opening.length + 8), 16);
  }

  /** Position and incarnation of an entry, unverified; `undefined` for a line without them. */
  get place(): { position: number; incarnation: number } | undefined {
    const start = this.#bytes.toString('latin1', prefixLength, prefixLength + exactMark.length + 60);
    const found = /^(?:"exact":true,)?"position":([1-9]\d{0,15}),"incarnation":([1-9]\d{0,15}),/.exec(start);
    return found === null || !this.isEnded ? undefined : { position: Number(found[1]), incarnation: Number(found[2]) };
  }

  /**
   * Checksum of a line that is whole and unchanged, otherwise `undefined`.
   * @param chain checksum of the line before, 0 for the first
   */
  check(chain: number): number | undefined {
    if (!this.isEnded || this.#bytes.length <= prefixLength) return undefined;
    const sum = crc32(this.#bytes.subarray(prefixLength), chain);
    return this.#bytes.toString('latin1', 0, prefixLength) === `${opening}${checksumText(sum)}",` ? sum : undefined;
  }

  /** Content of a checked line. */
  parse<T>(): T {
    const rest = this.#bytes.toString('utf8', prefixLength);
    const isExact = rest.startsWith(exactMark);
    return fromRecordText<T>(`{${isExact ? rest.slice(exactMark.length) : rest}`, isExact);
  }

  /** Whether this is the first field of the line. */
  startsWithField(name: string): boolean {
    return this.#bytes.toString('latin1', prefixLength, prefixLength + name.length + 3) === `"${name}":`;
  }
}

const chunkBytes = 256 * 1024;

/** Reads the lines of a file; closes it at the end or when the loop is left. */
export function* readLines(path: string): Generator<Line, void, undefined> {
  const file = openSync(path, 'r');
  try {
    let buffer = Buffer.allocUnsafe(chunkBytes);
    /** Range of the buffer with unread bytes, and its start in the file. */
    let [start, end, offset] = [0, 0, 0];
    for (;;) {
      const newline = buffer.subarray(0, end).indexOf(10, start);
      if (newline >= 0) {
        yield new Line(buffer.subarray(start, newline), offset, true);
        offset += newline + 1 - start;
        start = newline + 1;
        continue;
      }
      // The buffer doubles for a long line.
      const next = end - start > buffer.length / 2 ? Buffer.allocUnsafe(buffer.length * 2) : buffer;
      buffer.copy(next, 0, start, end);
      buffer = next;
      end -= start;
      start = 0;
      const read = readSync(file, buffer, end, buffer.length - end, offset + end);
      end += read;
      if (read > 0) continue;
      if (end > 0) yield new Line(buffer.subarray(0, end), offset, false);
      return;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Header in the first line of a file; `undefined` for a damaged line or another kind of file.
 * @throws {LogOpenError} for a file in another format
 */
export function readHeader<T extends Header>(path: string, kind: T['file']): T | undefined {
  const [first] = readLines(path);
  if (first?.check(0) === undefined) return undefined;
  const header = first.parse<T>();
  if (header.file !== kind) return undefined;
  if (header.format === format) return header;
  throw new LogOpenError(
    `expected files of format ${format}, got format ${header.format}, which petstore-sim ${header.version} wrote; use that version or a newer one, another folder, or start a new log with --data-reset`,
  );
}
