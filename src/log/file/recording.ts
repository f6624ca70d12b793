import { closeSync, fchmodSync, openSync, writeSync } from 'node:fs';
import type { Log, LogEntry, LogScenario, NewEntry } from '../log.js';
import { format, type RecordingHeader } from './headers.js';
import { formatLine } from './line.js';
import { createPseudonyms } from './pseudonyms.js';

export interface RecordingOptions {
  readonly version: string;
  readonly scenario: LogScenario;
  /** The state that the recording begins with, in pieces. */
  readonly pieces: Iterable<unknown>;
  /** Called once when the file cannot be written any more; the run goes on without it. */
  readonly onLost: (error: Error) => void;
}

/**
 * A text file that is written beside a run: how it began and every entry. It holds nothing up and refuses nothing.
 * @throws what the system says when the file cannot be begun
 */
export function createRecording(path: string, { version, scenario, pieces, onLost }: RecordingOptions): Log {
  let file: number | undefined = openSync(path, 'w', 0o600);
  // Of a file that was there before.
  fchmodSync(file, 0o600);
  const pseudonyms = createPseudonyms();
  let chain = 0;
  let position = 0;

  const write = (record: object) => {
    if (file === undefined) return;
    const line = formatLine(record, chain);
    chain = line.chain;
    const bytes = Buffer.from(line.text);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  };

  const header: RecordingHeader = {
    file: 'petstore-sim recording',
    format,
    version,
    birth: { id: '', scenario },
    warning: 'Tokens that the scenario does not name are replaced; bodies of requests are as they were sent.',
  };
  write(header);
  for (const piece of pieces) {
    const { kind, content } = piece as { kind?: unknown; content?: unknown };
    if (kind === 'scenario') pseudonyms.name(content);
    write({ piece });
  }

  return {
    get position() {
      return position;
    },
    snapshotPosition: 0,
    snapshotIsDue: false,
    async append({ atMs, commands, answered }: NewEntry) {
      position++;
      const entry: LogEntry = {
        position,
        incarnation: 1,
        sequence: position,
        writer: 'recording',
        atMs,
        ...(answered !== undefined && answered.length > 0 && { answered }),
        commands,
      };
      try {
        write({ ...entry, commands: commands.map(pseudonyms.inRecording) });
      } catch (error) {
        if (file !== undefined) closeSync(file);
        file = undefined;
        onLost(error as Error);
      }
      return entry;
    },
    writeSnapshot: () =>
      Promise.reject(new RangeError('expected no snapshot of a recording: it has all from its start')),
    setAside: () => Promise.reject(new RangeError('expected nothing to be set aside of a recording')),
    async close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
