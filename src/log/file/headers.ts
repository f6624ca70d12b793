import { type LogBirth, LogOpenError } from '../log.js';
import { checkLine, parseLine } from './line.js';
import type { Line } from './read-lines.js';

/** The format of the files; raised when older versions can no longer read them. */
export const format = 1;

interface Header {
  readonly format: number;
  /** The version of petstore-sim that wrote the file. */
  readonly version: string;
  readonly birth: LogBirth;
}

/** The first line of a file of the log. */
export interface LogHeader extends Header {
  readonly file: 'petstore-sim log';
  /** The position of the entry before the first of the file. */
  readonly after: number;
  /** The checksum of that entry's line, from which those of the file go on. */
  readonly chain: number;
}

/** The first line of a snapshot. */
export interface SnapshotHeader extends Header {
  readonly file: 'petstore-sim snapshot';
  readonly position: number;
  /** The checksum of the line of the entry at `position`. */
  readonly chain: number;
  /** The greatest incarnation that had written until then. */
  readonly incarnation: number;
}

/** The first line of a recording; its entries follow. */
export interface RecordingHeader extends Header {
  readonly file: 'petstore-sim recording';
  readonly warning: string;
}

/**
 * The header that a file begins with, and its checksum; `undefined` when it cannot be read.
 * @throws {LogOpenError} when a newer version wrote the file in another format
 */
export function readHeader<T extends LogHeader | SnapshotHeader | RecordingHeader>(
  line: Line | undefined,
  file: T['file'],
): { header: T; sum: number } | undefined {
  const sum = line?.isEnded ? checkLine(line.bytes, 0) : undefined;
  if (line === undefined || sum === undefined) return undefined;
  const header = parseLine<T>(line.bytes);
  if (header.file !== file) return undefined;
  if (header.format === format) return { header, sum };
  throw new LogOpenError(
    `expected files of format ${format}, got format ${header.format}, which petstore-sim ${header.version} wrote; use that version or a newer one, another folder, or begin anew with --data-reset`,
  );
}
