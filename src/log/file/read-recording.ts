import { closeSync, openSync } from 'node:fs';
import { type FoundEntry, type LogEntry, LogOpenError } from '../log.js';
import { type RecordingHeader, readHeader } from './headers.js';
import { checkLine, parseLine } from './line.js';
import { readLines } from './read-lines.js';

export interface Recording {
  readonly version: string;
  /** The name of its scenario, or its file. */
  readonly scenario: string;
  readonly entries: readonly FoundEntry[];
  /** A sentence, where the file is not whole. */
  readonly notice: string | undefined;
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
    let notice: string | undefined;
    for (const { bytes, isEnded, offset } of lines) {
      const sum = isEnded ? checkLine(bytes, chain) : undefined;
      if (sum === undefined) {
        const found = isEnded ? 'got one that was changed' : 'got one without an end';
        notice = `The recording can be read up to entry ${entries.length}: expected a line as it was written at byte ${offset}, ${found}.`;
        break;
      }
      chain = sum;
      entries.push({ ...parseLine<LogEntry>(bytes), version });
    }
    return { version, scenario: birth.scenario.name, entries, notice };
  } finally {
    closeSync(file);
  }
}
