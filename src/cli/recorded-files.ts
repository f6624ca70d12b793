import { createReadStream } from 'node:fs';
import { RecordingError } from '../fidelity/recording/json-items.js';
import { type ReadOptions, type Recording, readRecording } from '../fidelity/recording/read-recording.js';
import { UsageError } from '../node/usage-error.js';

/** Large enough that few entries are cut in two. */
const pieceBytes = 1024 * 1024;

/**
 * Reads recorded traffic from files: HAR, or JSON Lines.
 * @throws {UsageError} for a file that cannot be read, or is no recording of the service
 */
export async function readRecordedFiles(files: readonly string[], options: ReadOptions = {}): Promise<Recording> {
  try {
    return await readRecording(
      files.map((file) => createReadStream(file, { highWaterMark: pieceBytes })),
      options,
    );
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof RecordingError) throw new UsageError(`${files.join(', ')}: ${message}`);
    if (code === 'ENOENT') throw new UsageError(`expected a file, got ${files.join(', ')}: ${message}`);
    if (code === 'EISDIR' || code === 'EACCES') throw new UsageError(`expected a file that can be read: ${message}`);
    throw error;
  }
}
