import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { type LogHeader, readHeader } from './headers.js';
import { checkLine, claimedChecksum, placeOf } from './line.js';
import { readLines } from './read-lines.js';

/** An entry up to which the log is known: its position and the checksum of its line, from which the next goes on. */
export interface LogPlace {
  readonly position: number;
  readonly chain: number;
}

/** A file of the log, as far as it can be read. */
export interface ScannedFile {
  readonly name: string;
  readonly header: LogHeader;
  /** Where its whole entries end. */
  readonly end: number;
}

/** Where and why the log could not be read on. */
export interface Damage {
  readonly name: string;
  readonly offset: number;
  /** `torn`: the last line has no end, as a write that was cut short leaves it. */
  readonly kind: 'torn' | 'unreadable';
  readonly found: string;
}

export interface LogScan {
  readonly files: readonly ScannedFile[];
  readonly last: LogPlace;
  /** What the entries after the place that the scan began with take. */
  readonly bytes: number;
  /** The incarnation that wrote the last of them; 0 without any. */
  readonly incarnation: number;
  /** Whether a file goes on from the place that the scan began with. */
  readonly isFound: boolean;
  /** How many lines repeat an entry that was there already. */
  readonly repeated: number;
  readonly damage: Damage | undefined;
}

/**
 * Reads the log from a place on until its end, or until something is not as it was written.
 * @param names the files that can have entries after that place, in their order
 * @throws {LogOpenError} when a newer version wrote one in another format
 */
export function scanLog(folder: string, names: readonly string[], birthId: string, from: LogPlace): LogScan {
  const scan: Mutable = { files: [], last: from, bytes: 0, incarnation: 0, isFound: false, repeated: 0, sums: [] };
  for (const name of names) {
    const file = openSync(join(folder, name), 'r');
    try {
      const damage = scanFile(name, file, birthId, from, scan);
      if (damage !== undefined) return { ...scan, damage };
    } finally {
      closeSync(file);
    }
  }
  return { ...scan, damage: undefined };
}

interface Mutable {
  files: ScannedFile[];
  last: LogPlace;
  bytes: number;
  incarnation: number;
  isFound: boolean;
  repeated: number;
  /** The checksums of the entries after the place that the scan began with. */
  sums: number[];
}

function scanFile(name: string, file: number, birthId: string, from: LogPlace, scan: Mutable): Damage | undefined {
  /** Whether a line is an entry that was read already, to the bit. */
  const isRepeated = (line: Buffer, position: number) => {
    const index = position - from.position - 1;
    const before = index === 0 ? from.chain : scan.sums[index - 1];
    return index < scan.sums.length && checkLine(line, before as number) === scan.sums[index];
  };

  const unreadable = (offset: number, found: string): Damage => ({ name, offset, kind: 'unreadable', found });
  const lines = readLines(file);
  const firstLine = lines.next().value ?? undefined;
  const header = readHeader<LogHeader>(firstLine, 'petstore-sim log')?.header;
  if (firstLine === undefined || header === undefined) {
    return unreadable(0, 'expected a file with a header, got one that is empty or was changed');
  }
  const { after, chain, birth } = header;
  if (birth.id !== birthId) return unreadable(0, 'expected a file of this log, got one of another');
  if (after > scan.last.position) {
    return unreadable(0, `expected entry ${scan.last.position + 1}, got a file that begins with ${after + 1}`);
  }
  if (after === scan.last.position && chain !== scan.last.chain) {
    return unreadable(0, 'expected a file that goes on from the one before, got one that does not');
  }
  if (after === from.position) scan.isFound = true;

  let end = firstLine.bytes.length + 1;
  /** What cannot be read; harmless where an entry that is needed comes after it. */
  let doubt: Damage | undefined;
  for (const { bytes: line, offset, isEnded } of lines) {
    const place = isEnded ? placeOf(line) : undefined;
    const sum = place?.position === scan.last.position + 1 ? checkLine(line, scan.last.chain) : undefined;
    if (place !== undefined && sum !== undefined) {
      scan.last = { position: place.position, chain: sum };
      scan.sums.push(sum);
      scan.bytes += line.length + 1;
      scan.incarnation = place.incarnation;
      scan.isFound = true;
      doubt = undefined;
    } else if (place?.position === from.position && claimedChecksum(line) === from.chain && !scan.isFound) {
      scan.isFound = true;
      doubt = undefined;
    } else if (place !== undefined && place.position > from.position && isRepeated(line, place.position)) {
      scan.repeated++;
    } else if (scan.isFound || place === undefined || place.position > from.position) {
      doubt ??= isEnded
        ? unreadable(offset, 'expected a line as it was written, got one that was changed')
        : { name, offset, kind: 'torn', found: 'the last line has no end' };
      // Entries follow each other, so that what comes after one that cannot be read is of no use.
      if (scan.isFound) break;
    }
    if (doubt === undefined) end = offset + line.length + 1;
  }
  scan.files.push({ name, header, end });
  return doubt;
}
