import { closeSync, openSync } from 'node:fs';
import { counted } from '../../values/counted.js';
import { type FoundEntry, type LogEntry, LogOpenError } from '../log.js';
import { type RecordingHeader, readHeader } from './headers.js';
import { checkLine, parseLine, placeOf } from './line.js';
import { readLines } from './read-lines.js';

export interface Recording {
  readonly version: string;
  /** The name of its scenario, or its file. */
  readonly scenario: string;
  readonly entries: readonly FoundEntry[];
  /** A sentence, where the file is not whole. */
  readonly notice: string | undefined;
  /** Number of entries after the last readable one. */
  readonly leftOut: number;
}

/** @throws {LogOpenError} when the file is no recording, and what the system says when it cannot be read */
export function readRecording(path: string): Recording {
  const file = openSync(path, 'r');
  try {
    const lines = readLines(file);
    const first = readHeader<RecordingHeader>(lines.next().value ?? undefined, 'petstore-sim recording');
    if (first === undefined) {
      throw new LogOpenError(`expected a file that --record wrote, got ${path}, which does not begin as one`);
    }
    const { version, birth } = first.header;
    const entries: FoundEntry[] = [];
    let chain = first.sum;
    let leftOut = 0;
    let damage = '';
    for (const { bytes, isEnded, offset } of lines) {
      if (leftOut > 0) {
        // A lost newline makes two entries one line.
        leftOut = (placeOf(bytes)?.position ?? entries.length + leftOut + 1) - entries.length;
        continue;
      }
      const sum = isEnded ? checkLine(bytes, chain) : undefined;
      if (sum === undefined) {
        const found = isEnded ? 'got one that was changed' : 'got one without an end';
        damage = `expected a line as it was written at byte ${offset}, ${found}`;
        leftOut = 1;
        continue;
      }
      chain = sum;
      entries.push({ ...parseLine<LogEntry>(bytes), version });
    }
    const left = `${counted(leftOut, 'entry', 'entries')} ${leftOut === 1 ? 'is' : 'are'} left out`;
    const notice =
      leftOut === 0 ? undefined : `The recording can be read up to entry ${entries.length}: ${damage}; ${left}.`;
    return { version, scenario: birth.scenario.name, entries, notice, leftOut };
  } finally {
    closeSync(file);
  }
}
