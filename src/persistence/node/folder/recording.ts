import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { pluralize } from '../../../values/pluralize.js';
import { type FoundEntry, type Log, type LogEntry, LogOpenError, type LogScenario } from '../../log.js';
import { createTransientLog } from '../../transient-log.js';
import { fileFormat, formatLine, type RecordingHeader, readHeader, readLines } from './lines.js';
import { createPseudonyms } from './pseudonyms.js';

interface RecordingOptions {
  readonly version: string;
  readonly scenario: LogScenario;
  /** Called once if the file of the recording can no longer be written. The server continues without the recording. */
  readonly onLost: (error: Error) => void;
}

/**
 * Creates a log that records a run of the server in a text file.
 * @throws {Error} from the system, if the file cannot be created
 */
export function createRecording(path: string, { version, scenario, onLost }: RecordingOptions): Log {
  let file: number | undefined = openNew(path);
  const pseudonyms = createPseudonyms();
  let chain = 0;

  const write = (record: object) => {
    if (file === undefined) return;
    const { bytes, chain: sum } = formatLine(record, chain);
    chain = sum;
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  };
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };

  const header: RecordingHeader = {
    file: 'petstore-sim recording',
    format: fileFormat,
    version,
    birth: { id: '', scenario },
    warning: 'API keys of the scenario and request bodies are stored unchanged; other keys are replaced.',
  };
  write(header);
  return createTransientLog({
    onEntry({ commands, ...entry }) {
      try {
        write({ ...entry, commands: commands.map(pseudonyms.inRecording) });
      } catch (error) {
        close();
        onLost(error as Error);
      }
    },
    onClose: close,
  });
}

/**
 * Creates a file that only its owner can read. Also accepts an existing empty file, such as that of mktemp(1), or a
 * device. A file with content is an error.
 */
function openNew(path: string): number {
  const isEmpty = statSync(path, { throwIfNoEntry: false })?.size === 0;
  return openSync(path, isEmpty ? 'r+' : 'wx', 0o600);
}

/** Content of a recording up to its first damaged line. */
interface RecordedLog {
  readonly version: string;
  /** Name of the recorded scenario, or of its file. */
  readonly scenario: string;
  readonly entries: readonly FoundEntry[];
  /** Sentence for the user about the recording's unreadable part, if any. */
  readonly notice: string | undefined;
  /** Number of log entries that are ignored, from the recording's first damaged line on. */
  readonly leftOut: number;
}

/**
 * Reads a recording.
 * @throws {LogOpenError} for a file that is not a recording; the system's error for an unreadable one
 */
export function readRecordedLog(path: string): RecordedLog {
  const header = readHeader<RecordingHeader>(path, 'petstore-sim recording');
  if (header === undefined) {
    throw new LogOpenError(
      `expected a file from --record, got ${path}, whose first line is damaged or from another kind of file`,
    );
  }
  const { version, birth } = header;
  const entries: FoundEntry[] = [];
  let [chain, leftOut, damage] = [0, 0, ''];
  for (const line of readLines(path)) {
    if (leftOut > 0) {
      // Computes the number of unreadable entries from the position that a later entry contains. The number of lines is
      // unreliable, because a lost line break joins two entries.
      leftOut = (line.position ?? entries.length + leftOut + 1) - entries.length;
      continue;
    }
    const sum = line.check(chain);
    if (sum === undefined) {
      const found = line.isEnded ? 'a changed one' : 'an incomplete one';
      damage = `expected the line at byte ${line.offset} as it was written, got ${found}`;
      leftOut = 1;
      continue;
    }
    chain = sum;
    if (line.offset > 0) entries.push({ ...line.parse<LogEntry>(), version });
  }
  const left = `${pluralize(leftOut, 'entry', 'entries')} ${leftOut === 1 ? 'is' : 'are'} ignored`;
  const notice =
    leftOut === 0 ? undefined : `The recording is readable up to entry ${entries.length}: ${damage}; ${left}.`;
  return { version, scenario: birth.scenario.name, entries, notice, leftOut };
}
