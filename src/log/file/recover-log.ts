import { closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../values/counted.js';
import type { LogBirth } from '../log.js';
import { bytesOf, type FolderFiles, listFolder, renameAside } from './folder-files.js';
import { type LogHeader, readHeader, type SnapshotHeader } from './headers.js';
import { readLines } from './read-lines.js';
import { type Damage, type LogPlace, type LogScan, scanLog } from './scan-log.js';
import { cutBack, setAsideFrom } from './set-aside.js';
import { checkSnapshotFile } from './snapshot-file.js';

/** What a folder has that can be read, after what cannot was taken out of the way. */
export interface RecoveredLog extends Pick<LogScan, 'last' | 'bytes' | 'incarnation' | 'files'> {
  readonly birth: LogBirth;
  readonly snapshot: { readonly name: string; readonly header: SnapshotHeader } | undefined;
  /** The place of the snapshot, or the beginning. */
  readonly from: LogPlace;
  readonly notices: readonly string[];
}

/** The place before the first entry. A chain that begins with the birth shows the entries of another log. */
export const beginning = (birth: LogBirth): LogPlace => ({
  position: 0,
  chain: Number.parseInt(birth.id.slice(0, 8), 16),
});

/**
 * Finds the newest whole snapshot and the entries after it, and sets aside what cannot be read.
 * @returns the notices alone when nothing of a log is left
 * @throws {LogOpenError} when a newer version wrote a file in another format; nothing was changed then
 */
export function recoverLog(folder: string): RecoveredLog | { birth: undefined; notices: readonly string[] } {
  const files = listFolder(folder);
  const headers = files.logs.map(({ name }) => headerOf<LogHeader>(folder, name, 'petstore-sim log'));
  for (const { name } of files.snapshots) headerOf<SnapshotHeader>(folder, name, 'petstore-sim snapshot');
  for (const name of files.unfinished) rmSync(join(folder, name), { force: true });

  const notices: string[] = [];
  for (const name of files.folders) {
    const aside = renameAside(folder, name);
    notices.push(`Failed to read ${name}: expected a file, got a folder; it was set aside as ${aside}.`);
  }
  const snapshot = newestSnapshot(folder, files, notices);
  const birth = snapshot?.header.birth ?? headers.find((header) => header !== undefined)?.birth;
  if (birth === undefined) {
    setAsideAll(folder, files, notices);
    return { birth, notices };
  }
  const from = snapshot?.header ?? beginning(birth);
  const names = files.logs
    .filter((_, index) => (files.logs[index + 1]?.first ?? Number.POSITIVE_INFINITY) > from.position + 1)
    .map(({ name }) => name);
  const scan = scanLog(folder, names, birth.id, from);
  if (!scan.isFound && scan.damage === undefined) {
    notices.push(`Failed to find the log after entry ${from.position}: what happened after it is lost.`);
  }
  if (scan.repeated > 0) {
    const were = scan.repeated === 1 ? 'was' : 'were';
    notices.push(`${counted(scan.repeated, 'entry', 'entries')} ${were} there twice; each was taken once.`);
  }
  if (scan.damage !== undefined) {
    const later = names.slice(names.indexOf(scan.damage.name) + 1);
    notices.push(repair(folder, scan.damage, scan.last.position, later));
  }
  for (const { name, end } of scan.files) if (bytesOf(folder, name) > end) cutBack(folder, name, end);
  if (snapshot === undefined && scan.files.length === 0) return { birth: undefined, notices };
  const { last, bytes } = scan;
  const incarnation = Math.max(scan.incarnation, snapshot?.header.incarnation ?? 0);
  return { birth, snapshot, from, last, bytes, incarnation, files: scan.isFound ? scan.files : [], notices };
}

/** The header of a file, `undefined` when it cannot be read. @throws {LogOpenError} for another format */
function headerOf<T extends LogHeader | SnapshotHeader>(folder: string, name: string, kind: T['file']): T | undefined {
  const file = openSync(join(folder, name), 'r');
  try {
    const line = readLines(file).next().value ?? undefined;
    return readHeader<T>(line, kind)?.header;
  } finally {
    closeSync(file);
  }
}

function newestSnapshot(folder: string, files: FolderFiles, notices: string[]): RecoveredLog['snapshot'] {
  for (const { name } of files.snapshots.toReversed()) {
    const header = checkSnapshotFile(join(folder, name));
    if (header !== undefined) return { name, header };
    const aside = renameAside(folder, name);
    notices.push(`Failed to read ${name}: expected every line as it was written; it was set aside as ${aside}.`);
  }
  return undefined;
}

function setAsideAll(folder: string, { logs }: FolderFiles, notices: string[]): void {
  for (const { name } of logs) {
    const aside = renameAside(folder, name);
    notices.push(`Failed to read ${name}: expected a header, got none that is whole; it was set aside as ${aside}.`);
  }
}

/** Takes what cannot be read out of the log. @returns the sentence that tells of it */
function repair(folder: string, { name, offset, kind, found }: Damage, position: number, later: string[]): string {
  const after = position === 0 ? 'from its beginning' : `after entry ${position}`;
  if (kind === 'torn' && later.length === 0) {
    const bytes = cutBack(folder, name, offset);
    return `The last write to ${name} was cut short ${after}; its ${bytes} bytes were removed.`;
  }
  const aside = setAsideFrom(folder, name, offset, later).join(', ');
  return `Failed to read ${name} ${after}: ${found}; what follows is lost and was set aside as ${aside}.`;
}
