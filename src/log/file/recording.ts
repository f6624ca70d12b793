import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import type { Log, LogScenario } from '../log.js';
import { createUnkeptLog } from '../unkept-log.js';
import { format, type RecordingHeader } from './headers.js';
import { formatLine } from './line.js';
import { createPseudonyms } from './pseudonyms.js';

export interface RecordingOptions {
  readonly version: string;
  readonly scenario: LogScenario;
  /** Called once when the file cannot be written any more; the run goes on without it. */
  readonly onLost: (error: Error) => void;
}

/**
 * Creates a file that only its owner can read. An empty one, as of mktemp(1), and a device are written as they are; a file
 * with content is refused.
 */
function openNew(path: string): number {
  const isEmpty = statSync(path, { throwIfNoEntry: false })?.size === 0;
  return openSync(path, isEmpty ? 'r+' : 'wx', 0o600);
}

/**
 * A log that is written beside a run, in a text file of its own. It holds nothing up and refuses nothing.
 * @throws what the system says when the file cannot be begun
 */
export function createRecording(path: string, { version, scenario, onLost }: RecordingOptions): Log {
  let file: number | undefined = openNew(path);
  const pseudonyms = createPseudonyms();
  let chain = 0;

  const write = (record: object) => {
    if (file === undefined) return;
    const line = formatLine(record, chain);
    chain = line.chain;
    const bytes = Buffer.from(line.text);
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
  };
  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };

  const header: RecordingHeader = {
    file: 'petstore-sim recording',
    format,
    version,
    birth: { id: '', scenario },
    warning: 'Tokens that the scenario does not name are replaced; bodies of requests are as they were sent.',
  };
  write(header);
  return createUnkeptLog({
    writer: 'recording',
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
