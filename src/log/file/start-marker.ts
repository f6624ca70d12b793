import { closeSync, constants, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { startMarkerName } from './folder-files.js';

/** The entry that a start is at, and in how many starts after each other it was the last that was begun. */
interface Mark {
  readonly entry: number;
  readonly starts: number;
}

export interface StartMarker {
  /** Notes that an entry is about to be applied. One small write, without a flush: it need only outlive the process. */
  begin(position: number): void;
  /** The start went well. */
  end(): void;
}

/** An entry that ended this many starts is not tried again. */
const mostStarts = 2;

/** The entry that ended the last starts, where there is one. */
export function fatalEntry(folder: string): number | undefined {
  const { entry, starts } = readMark(folder);
  return starts >= mostStarts ? entry : undefined;
}

export function createStartMarker(folder: string): StartMarker {
  const path = join(folder, startMarkerName);
  const before = readMark(folder);
  let file: number | undefined;
  return {
    begin(position) {
      file ??= openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
      const starts = position === before.entry ? before.starts + 1 : 1;
      // Of one length, so that it is written over in place.
      writeSync(file, `{"entry":${String(position).padStart(17)},"starts":${starts}}\n`, 0);
    },
    end() {
      if (file !== undefined) closeSync(file);
      file = undefined;
      rmSync(path, { force: true });
    },
  };
}

function readMark(folder: string): Mark {
  try {
    const { entry, starts } = JSON.parse(readFileSync(join(folder, startMarkerName), 'utf8'));
    return Number.isSafeInteger(entry) && Number.isSafeInteger(starts) ? { entry, starts } : { entry: 0, starts: 0 };
  } catch {
    return { entry: 0, starts: 0 };
  }
}
