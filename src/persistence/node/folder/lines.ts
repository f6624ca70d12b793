import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { fromRecordText, toRecordText } from '../../json-record.js';
import { type LogIdentity, LogOpenError } from '../../log.js';

/**
 * Files of JSON lines with checksums (CRC-32): logs, snapshots and recordings. Each checksum includes the previous one,
 * so a changed, missing, moved or foreign line is detected.
 */

/**
 * Version of the format of log, snapshot and recording files. An incompatible change of the format needs a new number,
 * because files in another format are rejected.
 */
export const fileFormat = 1;

interface FileHeader {
  readonly format: number;
  /** Version of petstore-sim that wrote this log, snapshot or recording file. */
  readonly version: string;
  readonly birth: LogIdentity;
}

/** First line of a log file, with the file's format and position in the log. */
export interface LogHeader extends FileHeader {
  readonly file: 'petstore-sim log';
  /** Position of the log entry before the first one of this file. */
  readonly after: number;
  /** Checksum of the log entry before the first one of this file. The first entry's checksum includes it. */
  readonly chain: number;
}

/** First line of a file that contains a snapshot of a server's state. */
export interface SnapshotHeader extends FileHeader {
  readonly file: 'petstore-sim snapshot';
  /** Position (from 1) of the last log entry whose changes the snapshot includes. */
  readonly position: number;
  /** Checksum of the last entry that the snapshot includes. */
  readonly chain: number;
}

/** First line of a recording file. */
export interface RecordingHeader extends FileHeader {
  readonly file: 'petstore-sim recording';
  readonly warning: string;
}

type Header = LogHeader | SnapshotHeader | RecordingHeader;

const opening = '{"crc":"';
/**
 * Number of bytes of the checksum field with which each line of a log or recording file starts: `{"crc":"0123abcd",`.
 */
const prefixLength = opening.length + 8 + 2;
/**
 * Field at the start of a log line that must be parsed exactly, because `JSON.parse` would round an integer in the
 * line.
 */
const exactMark = '"exact":true,';

/**
 * Formats a record as one line with its checksum.
 * @param chain checksum of the previous line, 0 for the first
 */
export function formatLine(record: object, chain: number): { bytes: Buffer; chain: number } {
  const { text, isExact } = toRecordText(record);
  const bytes = Buffer.from(`${opening}${checksumText(0)}",${isExact ? exactMark : ''}${text.slice(1)}\n`);
  const sum = crc32(bytes.subarray(prefixLength, -1), chain);
  bytes.write(checksumText(sum), opening.length, 'latin1');
  return { bytes, chain: sum };
}

const checksumText = (sum: number): string => sum.toString(16).padStart(8, '0');

/** Line of a log, snapshot or recording file, without its newline. Usable until the next line is read. */
export class Line {
  readonly #bytes: Buffer;
  /** Position of the line's first byte in its file. */
  readonly offset: number;
  /** Whether a newline follows the line. `false` only for a file's incomplete last line. */
  readonly isEnded: boolean;

  constructor(bytes: Buffer, offset: number, isEnded: boolean) {
    this.#bytes = bytes;
    this.offset = offset;
    this.isEnded = isEnded;
  }

  /** Size of a line in a log's file with its newline, in bytes. */
  get size(): number {
    return this.#bytes.length + 1;
  }

  /** Checksum stored in this line of the log's file, read without verification. */
  get storedChecksum(): number {
    return Number.parseInt(this.#bytes.toString('latin1', opening.length, opening.length + 8), 16);
  }

  /**
   * Position of the log entry in this line. The line's checksum is not verified. `undefined` if the line is incomplete or
   * contains no log entry.
   */
  get position(): number | undefined {
    const start = this.#bytes.toString('latin1', prefixLength, prefixLength + exactMark.length + 60);
    const found = /^(?:"exact":true,)?"position":([1-9]\d{0,15}),/.exec(start);
    return found === null || !this.isEnded ? undefined : Number(found[1]);
  }

  /**
   * Verifies this line of a log, snapshot or recording file by its checksum.
   * @param chain checksum of the previous line, 0 for the first
   * @returns the checksum, or `undefined` for a changed line
   */
  check(chain: number): number | undefined {
    if (!this.isEnded || this.#bytes.length <= prefixLength) return undefined;
    const sum = crc32(this.#bytes.subarray(prefixLength), chain);
    return this.#bytes.toString('latin1', 0, prefixLength) === `${opening}${checksumText(sum)}",` ? sum : undefined;
  }

  /** Parses the content of a log line whose checksum was verified. */
  parse<T>(): T {
    const rest = this.#bytes.toString('utf8', prefixLength);
    const isExact = rest.startsWith(exactMark);
    return fromRecordText<T>(`{${isExact ? rest.slice(exactMark.length) : rest}`, isExact);
  }

  /** Whether the first field after the checksum in this line of a log file has the given name. */
  startsWithField(name: string): boolean {
    return this.#bytes.toString('latin1', prefixLength, prefixLength + name.length + 3) === `"${name}":`;
  }
}

const chunkBytes = 256 * 1024;

/** Reads the lines of a file. Closes the file at its end, or when the reading loop ends. */
export function* readLines(path: string): Generator<Line, void, undefined> {
  const file = openSync(path, 'r');
  try {
    let buffer = Buffer.allocUnsafe(chunkBytes);
    /** Start and end of the unread bytes in the read buffer, and their offset in the file. */
    let [start, end, offset] = [0, 0, 0];
    for (;;) {
      const newline = buffer.subarray(0, end).indexOf(10, start);
      if (newline >= 0) {
        yield new Line(buffer.subarray(start, newline), offset, true);
        offset += newline + 1 - start;
        start = newline + 1;
        continue;
      }
      // Doubles the read buffer if a line does not fit.
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
 * Reads the first line of a stored log, snapshot or recording file, which contains the kind of file and the format
 * version. Returns `undefined` if the line is damaged or states another kind.
 * @throws {LogOpenError} for a file in another format version
 */
export function readHeader<T extends Header>(path: string, kind: T['file']): T | undefined {
  const [first] = readLines(path);
  if (first?.check(0) === undefined) return undefined;
  const header = first.parse<T>();
  if (header.file !== kind) return undefined;
  if (header.format === fileFormat) return header;
  throw new LogOpenError(
    `expected files of format ${fileFormat}, got format ${header.format}, which petstore-sim ${header.version} wrote; use that version or a newer one, another folder, or start a new log with --data-reset`,
  );
}
