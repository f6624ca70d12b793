import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { LogOpenError } from '../log.js';
import { listFolder } from './folder-files.js';

/**
 * Makes the folder if there is none, for this user alone, and looks whether it is one to write a log in.
 * @throws {LogOpenError}
 */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!statSync(folder).isDirectory()) throw notAFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const { logs, snapshots, unfinished, locks, others } = listFolder(folder);
    if (others.length === 0 || logs.length + snapshots.length + unfinished.length + locks.length > 0) return;
    throw new LogOpenError(
      `expected an empty folder or one with a log, got ${folder}, which has ${others.slice(0, 3).join(', ')}; name another folder`,
    );
  } catch (error) {
    throw sayWhatToDo(folder, error);
  }
}

/** What the system says of a folder, as what to do; other errors as they are. */
export function sayWhatToDo(folder: string, error: unknown): unknown {
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  switch (code) {
    case 'ENOTDIR':
    case 'EEXIST':
      return notAFolder(folder);
    case 'EACCES':
    case 'EPERM':
      return new LogOpenError(
        `expected a folder that this user may write, got ${folder} (${code}); change its owner or its mode, or name another`,
      );
    case 'EROFS':
      return new LogOpenError(
        `expected a folder that can be written, got ${folder} on a read-only file system (${code}); mount it for writing, or name another`,
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return new LogOpenError(`expected room in ${folder}, got a full disk (${code}); make room, or name another`);
    default:
      return new LogOpenError(`expected a folder for the log, got ${folder}: ${message}`);
  }
}

const notAFolder = (folder: string) =>
  new LogOpenError(`expected a folder for the log, got ${folder}, which is a file or lies below one; name another`);
