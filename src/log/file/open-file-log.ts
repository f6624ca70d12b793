import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FoundSnapshot, OpenedLog, OpenLogOptions } from '../log.js';
import { FileLog } from './file-log.js';
import { bytesOf, listFolder } from './folder-files.js';
import { type FolderLock, lockFolder } from './folder-lock.js';
import { prepareFolder, sayWhatToDo } from './prepare-folder.js';
import { readEntries } from './read-entries.js';
import { beginning, recoverLog } from './recover-log.js';
import { setEntriesAside } from './set-entries-aside.js';
import { readPieces } from './snapshot-file.js';
import { createStartMarker, fatalEntry } from './start-marker.js';

export interface OpenFileLogOptions extends OpenLogOptions {
  /** Whether an entry counts as written only when it would outlive a power loss: fsync. Default false. */
  readonly flush?: boolean;
  /**
   * Called when the process has to end: a flush failed, or the folder was taken away. Default: the sentence goes to
   * standard error and the exit code is 1.
   */
  readonly onFatal?: (sentence: string) => void;
  /** A log that is shorter is not replaced by a snapshot. Default 16 MiB. */
  readonly leastLogBytes?: number;
}

/**
 * Opens the log that a folder has, or begins one. Whatever cannot be read is set aside and told in `notices`.
 * @throws {LogOpenError} when the folder cannot be used: no folder, not to be written, in use by another process, of a
 * newer format
 */
export async function openFileLog(folder: string, options: OpenFileLogOptions): Promise<OpenedLog> {
  const { onFatal = endProcess } = options;
  prepareFolder(folder);
  let lock: FolderLock | undefined;
  try {
    lock = await lockFolder(folder, (reason) => onFatal(`Failed to keep the log: ${reason}; the process ends.`));
    return openLocked(folder, lock, { ...options, onFatal });
  } catch (error) {
    await lock?.release();
    throw sayWhatToDo(folder, error);
  }
}

function openLocked(
  folder: string,
  lock: FolderLock,
  {
    version,
    scenario,
    reset = false,
    flush = false,
    leastLogBytes = 16 * 1024 * 1024,
    onFatal,
  }: OpenFileLogOptions & { onFatal(sentence: string): void },
): OpenedLog {
  if (reset) removeLog(folder);
  const notices: string[] = [];
  const fatal = fatalEntry(folder);
  let found = recoverLog(folder);
  notices.push(...found.notices);
  if (fatal !== undefined && found.birth && fatal > found.from.position && fatal <= found.last.position) {
    notices.push(setEntriesAside(folder, fatal, 'it ended the process at the last two starts'));
    found = recoverLog(folder);
  }
  const marker = createStartMarker(folder);
  const isNew = found.birth === undefined;
  const birth = found.birth ?? { id: randomUUID(), scenario };
  const { from, last, bytes, incarnation, files, snapshot } =
    found.birth === undefined
      ? { from: beginning(birth), last: beginning(birth), bytes: 0, incarnation: 0, files: [], snapshot: undefined }
      : found;
  if (isNew || (fatal !== undefined && fatal > last.position)) marker.end();
  const written = [...(snapshot ? [snapshot.header] : []), ...files.map(({ header }) => header)].at(-1)?.version;
  if (written !== undefined && written !== version) {
    notices.push(`The log was written by petstore-sim ${written}; this is ${version}.`);
  }
  const file = files.at(-1);
  const log = new FileLog({
    folder,
    lock,
    version,
    birth,
    incarnation: incarnation + 1,
    last,
    bytes,
    snapshot: snapshot && { position: snapshot.header.position, bytes: bytesOf(folder, snapshot.name) },
    name: file?.header.version === version ? file.name : undefined,
    flush,
    leastLogBytes,
    onFatal,
  });
  const foundSnapshot: FoundSnapshot | undefined = snapshot && {
    position: snapshot.header.position,
    version: snapshot.header.version,
    pieces: readPieces(join(folder, snapshot.name)),
  };
  return { log, birth, isNew, snapshot: foundSnapshot, entries: readEntries(folder, files, from, marker), notices };
}

function removeLog(folder: string): void {
  const { logs, snapshots } = listFolder(folder);
  // The last first: whatever is left when the process is ended here is a log as it once was.
  for (const { name } of [...snapshots, ...logs].reverse()) rmSync(join(folder, name), { force: true });
}

function endProcess(sentence: string): void {
  process.stderr.write(`petstore-sim: ${sentence}\n`);
  process.exit(1);
}
