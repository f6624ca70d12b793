import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundEntry, LogEntry } from '../log.js';
import { checkLine, parseLine, placeOf } from './line.js';
import { readLines } from './read-lines.js';
import type { LogPlace, ScannedFile } from './scan-log.js';
import type { StartMarker } from './start-marker.js';

/** The entries after a place, of files that have been scanned. Each is marked before it is given out. */
export async function* readEntries(
  folder: string,
  files: readonly ScannedFile[],
  from: LogPlace,
  marker: StartMarker,
): AsyncGenerator<FoundEntry, void, undefined> {
  let { position, chain } = from;
  for (const { name, header, end } of files) {
    const file = openSync(join(folder, name), 'r');
    try {
      for (const { bytes, offset } of readLines(file)) {
        if (offset >= end) break;
        // What was damaged before a snapshot may claim the position of a later entry.
        const sum = placeOf(bytes)?.position === position + 1 ? checkLine(bytes, chain) : undefined;
        if (sum === undefined) continue;
        chain = sum;
        position++;
        marker.begin(position);
        yield { ...parseLine<LogEntry>(bytes), version: header.version };
      }
    } finally {
      closeSync(file);
    }
  }
  marker.end();
}
