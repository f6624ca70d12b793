import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pluralize } from '../../../values/pluralize.js';
import {
  type FolderLog,
  type FoundEntry,
  type LogEntry,
  type LogIdentity,
  LogOpenError,
  LogUnavailableError,
  maximumEntryBytes,
  type NewEntry,
  type OpenedLog,
  type OpenLogOptions,
} from '../../log.js';
import { endProcess } from './end-process.js';
import {
  fileFormat,
  formatLine,
  type Line,
  type LogHeader,
  readHeader,
  readLines,
  type SnapshotHeader,
} from './lines.js';
import { makeFolders } from './make-folders.js';

/*
 * Log in the folder of `--data`: files of JSON lines with entries, and snapshots that replace earlier entries.
 *
 *     log-000000000001.jsonl          entries from position 1 on
 *     log-000000001201.jsonl          entries from position 1201 on; new entries are appended here
 *     snapshot-000000001200.jsonl     state after entry 1200
 *     lock-3.json, lock-*.sock        proof that a process uses the folder
 *     set-aside-1-*.jsonl             parts that could not be read
 */

export interface OpenFileLogOptions extends OpenLogOptions {
  /**
   * Whether each entry is flushed to the disk (fsync) before it counts as written, to survive a power loss. Default
   * false.
   */
  readonly flush?: boolean;
  /**
   * Called with an error message if the process must exit, because the log can no longer be written safely. Examples: a
   * flush to the disk failed, or the log's folder was removed. Default: writes the message to standard error and exits
   * with code 1.
   */
  readonly onFatal?: (sentence: string) => void;
  /** Minimum size of the log at which a snapshot of the state replaces the log's entries, in bytes. Default 16 MiB. */
  readonly minimumLogBytes?: number;
}

/**
 * Maximum size of a log entry that contains a single command, in bytes. The command may import a whole state, so the
 * limit is higher than for several commands.
 */
const maximumCommandBytes = 64 * 1024 * 1024;
/**
 * Minimum growth of the log files of `--data` between a failed snapshot of the server's state and the next attempt, in
 * bytes.
 */
const retryBytes = 1024 * 1024;
/**
 * Disk space that the folder of `--data` may use in addition to three times the size of the newest snapshot, in bytes.
 * If more is required, the previous snapshot is deleted.
 */
const spareBytes = 64 * 1024 * 1024;
/**
 * Size of one write of a snapshot, in bytes. A write takes a few milliseconds, and the server handles requests between
 * two writes.
 */
const snapshotWriteBytes = 64 * 1024;
/** Interval between two checks that the log's folder still exists. */
const watchMs = 2_000;

/**
 * Opens the append-only log of a server's changes in a folder (`--data`), or creates the log. Moves unreadable parts
 * aside and reports them in `notices`.
 * @throws {LogOpenError} for an unusable folder: not a folder, not writable, in use by another process of this machine,
 * or in a newer format
 */
export async function openFileLog(folder: string, options: OpenFileLogOptions): Promise<OpenedLog> {
  const { version, scenario, reset = false, flush = false, minimumLogBytes = 16 * 1024 * 1024 } = options;
  const { onFatal = endProcess } = options;
  let unlock = () => {};
  try {
    createFolder(folder);
    unlock = await lockFolder(folder, () =>
      onFatal(`Failed to write the log: the folder ${folder} was removed or emptied; the process ends.`),
    );
    if (reset) removeLog(folder);
    const content = recover(folder, { id: randomUUID(), scenario });
    const { identity, snapshot, files, notices } = content;
    const written = files.at(-1)?.version ?? snapshot?.version ?? version;
    if (written !== version) notices.push(`The log was written by petstore-sim ${written}; this is ${version}.`);
    return {
      log: new FileLog(folder, unlock, content, { version, flush, minimumLogBytes, onFatal }),
      identity,
      isNew: snapshot === undefined && files.length === 0,
      snapshot: snapshot && {
        position: snapshot.position,
        version: snapshot.version,
        pieces: readPieces(folder, snapshot.position),
      },
      entries: readEntries(folder, content),
      notices,
    };
  } catch (error) {
    unlock();
    throw explain(folder, error);
  }
}

type Options = Required<Omit<OpenFileLogOptions, 'scenario' | 'reset'>>;

/**
 * Log in the files of a folder. `append` writes an entry before it returns; only flushes to the disk are asynchronous.
 */
class FileLog implements FolderLog {
  readonly #folder: string;
  readonly #unlock: () => void;
  readonly #content: Content;
  readonly #options: Options;
  #hasAppended = false;
  /** Open file to which the log appends new entries, the changes of the server's state. */
  #file: OpenFile;
  /**
   * Total size of the log entries since the last snapshot at which the next snapshot is due, in bytes. Raised before
   * each attempt, so that a failed snapshot is not repeated at once.
   */
  #dueBytes: number;
  #isDue = false;
  #writingSnapshot: Promise<void> | undefined;
  /**
   * File descriptors of log files that a newer log file has replaced. The next flush writes the files to disk and
   * closes them.
   */
  #rotated: number[] = [];
  #isFolderFlushed = true;
  #runningFlush: Promise<void> = Promise.resolve();
  #nextFlush: Promise<void> | undefined;
  /** Reason for which the log rejects all further entries; `undefined` while the log works. */
  #ended: string | undefined;

  /**
   * Opens the log's last file to append entries, or creates a new file.
   * @throws {Error} from the system, if the file cannot be opened or created
   */
  constructor(folder: string, unlock: () => void, content: Content, options: Options) {
    this.#folder = folder;
    this.#unlock = unlock;
    this.#content = content;
    this.#options = options;
    const { snapshot } = content;
    const stateBytes = snapshot ? bytesOf(folder, snapshotName(snapshot.position)) : 0;
    this.#dueBytes = Math.max(options.minimumLogBytes, stateBytes);
    // Appends to the log's last file only if this version of petstore-sim created the file. A file's first line names
    // one version for all entries in the file, so another version starts a new file.
    const [last] = content.files.slice(-1).filter(({ version }) => version === options.version);
    this.#file = last ? openToAppend(folder, last.name) : this.#createFile();
    this.#rotateIfDue();
  }

  get position(): number {
    return this.#content.last;
  }

  get snapshotPosition(): number {
    return this.#content.snapshot?.position ?? 0;
  }

  get snapshotIsDue(): boolean {
    return this.#isDue && this.#writingSnapshot === undefined;
  }

  async append({ atMs, commands, answered }: NewEntry): Promise<LogEntry> {
    if (this.#ended !== undefined) throw new LogUnavailableError(this.#ended);
    const entry: LogEntry = {
      position: this.position + 1,
      atMs,
      ...(answered !== undefined && answered.length > 0 && { answered }),
      commands,
    };
    const { bytes, chain } = formatLine(entry, lastChain(this.#content));
    const most = commands.length > 1 ? maximumEntryBytes : maximumCommandBytes;
    if (bytes.length > most) throw tooLong(most, bytes.length, commands.length);
    this.#write(bytes);
    if (fs.fstatSync(this.#file.descriptor).nlink === 0) {
      throw this.#end(`Failed to write the log: its file was removed from ${this.#folder}; the process ends.`);
    }
    this.#hasAppended = true;
    addEntry(this.#content, chain, bytes.length);
    const flushed = this.#options.flush ? this.#flush() : undefined;
    this.#rotateIfDue();
    if (flushed !== undefined) await flushed;
    return entry;
  }

  async writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void> {
    if (this.#writingSnapshot !== undefined) throw new RangeError('expected one snapshot at a time, got a second');
    const written = this.#writeSnapshot(position, pieces);
    this.#writingSnapshot = written.catch(() => {});
    await written.finally(() => {
      this.#writingSnapshot = undefined;
    });
  }

  async setAside(from: number, reason: string): Promise<string> {
    if (this.#hasAppended) throw new RangeError('expected entries to be set aside before any entry is appended');
    this.#ended = 'Expected the log to be opened again after entries were set aside.';
    const names = listFolder(this.#folder).logs.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      for (const line of readLines(join(this.#folder, name))) {
        if (line.position !== from) continue;
        const aside = setAsideFrom(this.#folder, name, line.offset, names.slice(index + 1)).join(', ');
        return `Entry ${from} and all after it were set aside as ${aside}, because ${reason}.`;
      }
    }
    throw new RangeError(`expected entry ${from} to be in the log, found it in none of its files`);
  }

  async close(): Promise<void> {
    if (this.#ended === closed) return;
    this.#ended = closed;
    await this.#writingSnapshot;
    if (this.#options.flush) await this.#flush();
    fs.closeSync(this.#file.descriptor);
    this.#unlock();
  }

  /**
   * Appends bytes to the current file.
   * @throws {LogUnavailableError} if not all bytes can be written; those that were written are removed
   */
  #write(bytes: Buffer): void {
    const { name, descriptor, size } = this.#file;
    try {
      for (let done = 0; done < bytes.length; ) {
        done += fs.writeSync(descriptor, bytes, done, bytes.length - done, size + done);
      }
      this.#file.size += bytes.length;
    } catch (error) {
      fs.ftruncateSync(descriptor, size);
      throw unavailable(name, error);
    }
  }

  /** Flushes all written entries to the disk. Callers that arrive during a flush share the next one. */
  #flush(): Promise<void> {
    this.#nextFlush ??= this.#runningFlush.then(() => {
      this.#nextFlush = undefined;
      this.#runningFlush = this.#flushFiles();
      return this.#runningFlush;
    });
    return this.#nextFlush.catch((error) => {
      const { message } = error as Error;
      const sentence = `Failed to flush ${this.#folder}: ${message}. The content of the disk is uncertain, so the process ends; restart it when the disk works.`;
      throw this.#end(sentence, error);
    });
  }

  async #flushFiles(): Promise<void> {
    const rotated = this.#rotated.splice(0);
    const isFolderFlushed = this.#isFolderFlushed;
    this.#isFolderFlushed = true;
    for (const descriptor of [...rotated, this.#file.descriptor]) await flushFile(descriptor);
    if (!isFolderFlushed) await flushFolder(this.#folder);
    for (const descriptor of rotated) fs.closeSync(descriptor);
  }

  /**
   * Makes the log reject all further entries, and calls `onFatal`, which ends the process by default. Used if the log's
   * file is lost or cannot be flushed to disk.
   * @returns the error that rejects the current entry
   */
  #end(sentence: string, cause?: unknown): LogUnavailableError {
    this.#ended = sentence;
    this.#options.onFatal(sentence);
    return new LogUnavailableError(sentence, { cause });
  }

  /**
   * Starts a new log file if the entries since the last snapshot exceed a size limit. A new snapshot of the state can
   * then replace the completed files.
   */
  #rotateIfDue(): void {
    if (this.#content.bytes <= this.#dueBytes || this.#writingSnapshot !== undefined) return;
    const { descriptor, size } = this.#file;
    try {
      fs.ftruncateSync(descriptor, size);
      this.#file = this.#createFile();
    } catch {
      // Keeps the current log file if no new one can be created, and tries again after the next log entry. Reports no
      // error, because a log entry that cannot be written reports its own error.
      return;
    }
    if (this.#options.flush) this.#rotated.push(descriptor);
    else fs.closeSync(descriptor);
    this.#content.bytes = 0;
    this.#isDue = true;
  }

  /**
   * Creates the log file to which the next entries are appended. The file has a temporary name until its first line is
   * complete.
   */
  #createFile(): OpenFile {
    const { identity, last: after } = this.#content;
    const place = { birth: identity, after, chain: lastChain(this.#content) };
    const header: LogHeader = {
      file: 'petstore-sim log',
      format: fileFormat,
      version: this.#options.version,
      ...place,
    };
    const path = join(this.#folder, logName(after + 1));
    try {
      fs.writeFileSync(unfinished(path), formatLine(header, 0).bytes, { mode: 0o600 });
      fs.renameSync(unfinished(path), path);
    } catch (error) {
      fs.rmSync(unfinished(path), { force: true });
      throw error;
    }
    this.#isFolderFlushed = false;
    return openToAppend(this.#folder, logName(after + 1));
  }

  /** Writes a snapshot to a temporary file, flushes it and then renames it. Deletes the file after an error. */
  async #writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void> {
    const { identity, sums, last, bytes } = this.#content;
    const { version, minimumLogBytes } = this.#options;
    const chain = sums.get(position);
    const [first = last] = sums.keys();
    if (chain === undefined) throw new RangeError(`expected a position from ${first} to ${last}, got ${position}`);
    const header: SnapshotHeader = {
      file: 'petstore-sim snapshot',
      format: fileFormat,
      version,
      birth: identity,
      position,
      chain,
    };
    const path = join(this.#folder, snapshotName(position));
    this.#isDue = false;
    this.#dueBytes = bytes + retryBytes;
    try {
      await writeFile(unfinished(path), snapshotLines(header, pieces), { mode: 0o600, flush: true });
      await rename(unfinished(path), path);
      await flushFolder(this.#folder);
    } catch (error) {
      await rm(unfinished(path), { force: true });
      throw unavailable('a snapshot', error);
    }
    const { size } = fs.statSync(path);
    this.#content.snapshot = header;
    this.#dueBytes = Math.max(minimumLogBytes, size);
    for (const before of sums.keys()) if (before < position) sums.delete(before);
    await deleteReplacedFiles(this.#folder, size, this.#dueBytes);
  }
}

interface OpenFile {
  readonly name: string;
  readonly descriptor: number;
  /** Size of the complete lines in an open log file, in bytes. */
  size: number;
}

function openToAppend(folder: string, name: string): OpenFile {
  const descriptor = fs.openSync(join(folder, name), 'r+');
  return { name, descriptor, size: fs.fstatSync(descriptor).size };
}

const closed = 'The log is closed.';
const flushFile = promisify(fs.fdatasync);
const tooLong = (most: number, bytes: number, commands: number) =>
  new RangeError(`expected an entry of at most ${most} bytes, got ${pluralize(commands, 'command')} in ${bytes} bytes`);

/** Converts a system error of a write to an error with advice. Returns any other error unchanged. */
function unavailable(name: string, error: unknown): unknown {
  const { code = '', message, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  // Whether the disk is full, the user's quota is used up, or the file has reached its maximum size.
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
  const reason = isFull ? `the disk is full (${code}); free some space, and writing continues` : message;
  return new LogUnavailableError(`Failed to write to ${name}: ${reason}.`, { cause: error });
}

/** Readable content of the folder that stores a server's log (`--data`), at the time when the log was opened. */
interface Content {
  readonly identity: LogIdentity;
  snapshot: SnapshotHeader | undefined;
  /**
   * Names of the log's files with the entries after the newest snapshot. If the list is empty, the next entries are
   * written to a new file.
   */
  files: { readonly name: string; readonly version: string }[];
  /**
   * Number of the last log entry that the newest snapshot of the server's state includes; 0 without a snapshot. Reading
   * of the log starts after this entry.
   */
  readonly snapshotPosition: number;
  /** Position of the log's last entry. */
  last: number;
  /**
   * Checksums by log position, from the last entry in the newest snapshot on. Each checksum includes the previous one,
   * so that a missing entry is detected.
   */
  readonly sums: Map<number, number>;
  /** Size of the entries after the newest snapshot in this append-only log, in bytes. */
  bytes: number;
  /**
   * Whether the log's files follow the snapshot without a gap: they contain the last entry that is in the snapshot, or
   * the start of the log.
   */
  isFound: boolean;
  /**
   * Number of lines in the log's files that contain an entry a second time. The repeated entries are not applied again.
   */
  repeated: number;
  readonly notices: string[];
}

const lastChain = ({ sums, last }: Content): number => sums.get(last) as number;

function addEntry(content: Content, chain: number, bytes: number): void {
  content.last++;
  content.sums.set(content.last, chain);
  content.bytes += bytes;
  content.isFound = true;
}

/**
 * Creates the content of the server's log before its first entry is read. The first checksum comes from the snapshot or
 * the log's id, so that entries of another log fail the check.
 */
function contentBeforeFirstEntry(identity: LogIdentity, notices: string[], snapshot?: SnapshotHeader): Content {
  const snapshotPosition = snapshot?.position ?? 0;
  const sums = new Map([[snapshotPosition, snapshot?.chain ?? Number.parseInt(identity.id.slice(0, 8), 16)]]);
  const none = { files: [], bytes: 0, isFound: false, repeated: 0 };
  return { ...none, identity, snapshot, snapshotPosition, last: snapshotPosition, sums, notices };
}

/**
 * Finds the newest complete snapshot of the server's state in the log's folder, and the log entries after it. Renames
 * unreadable files to `set-aside-…`, and moves damaged entries out of the log.
 * @param newIdentity id and first scenario of a new log, if the folder contains no log
 * @throws {LogOpenError} for a file in a newer format; no file is changed then
 */
function recover(folder: string, newIdentity: LogIdentity): Content {
  const { logs, snapshots, unfinished, folders } = listFolder(folder);
  const headers = logs.map(({ name }) => readHeader<LogHeader>(join(folder, name), 'petstore-sim log'));
  for (const { name } of snapshots) readHeader<SnapshotHeader>(join(folder, name), 'petstore-sim snapshot');

  const notices: string[] = [];
  for (const name of unfinished) fs.rmSync(join(folder, name), { force: true });
  for (const name of folders) {
    const aside = renameAside(folder, name);
    notices.push(`Failed to read ${name}: expected a file, got a folder; it was set aside as ${aside}.`);
  }
  const snapshot = newestSnapshot(folder, snapshots, notices);
  const identity = snapshot?.birth ?? headers.find((header) => header !== undefined)?.birth ?? newIdentity;
  const content = contentBeforeFirstEntry(identity, notices, snapshot);
  const needed = filesAfter(logs, content.snapshotPosition);
  let damage: Damage | undefined;
  for (const name of needed) damage ??= readFile(folder, name, content);
  const { snapshotPosition, last, isFound, repeated } = content;
  if (snapshot !== undefined && !isFound && damage === undefined) {
    notices.push(`Failed to find the log after entry ${snapshotPosition}: later entries are lost.`);
  }
  if (repeated > 0) {
    const were = repeated === 1 ? 'was' : 'were';
    notices.push(`${pluralize(repeated, 'entry', 'entries')} ${were} found twice; each was applied once.`);
  }
  if (damage !== undefined) notices.push(repair(folder, damage, last, needed));
  if (snapshot === undefined && !isFound) return contentBeforeFirstEntry(newIdentity, notices);
  return isFound ? content : { ...content, files: [] };
}

function newestSnapshot(folder: string, files: readonly Numbered[], notices: string[]): SnapshotHeader | undefined {
  for (const { name } of files.toReversed()) {
    const header = checkSnapshot(join(folder, name));
    if (header !== undefined) return header;
    const aside = renameAside(folder, name);
    notices.push(`Failed to read ${name}: expected unchanged lines; it was set aside as ${aside}.`);
  }
  return undefined;
}

interface Damage {
  readonly name: string;
  readonly offset: number;
  /** Whether the file's last line is incomplete, because a write was interrupted. */
  readonly isTorn: boolean;
  readonly found: string;
}

/** Reads the entries of a log file, up to the first damaged line, and adds them to the log's content. */
function readFile(folder: string, name: string, content: Content): Damage | undefined {
  const header = readHeader<LogHeader>(join(folder, name), 'petstore-sim log');
  const found = mismatch(header, content);
  if (header === undefined || found !== undefined) return { name, offset: 0, isTorn: false, found: found ?? '' };
  content.files.push({ name, version: header.version });
  content.isFound ||= header.after === content.snapshotPosition;
  /**
   * First damaged line of the log file. Damage to entries that the newest snapshot replaces does not count, if the
   * entries after the snapshot are intact.
   */
  let damage: Damage | undefined;
  for (const line of readLines(join(folder, name))) {
    const { offset, position, isEnded } = line;
    const { snapshotPosition, last, sums, isFound } = content;
    const chain = position === last + 1 ? line.check(lastChain(content)) : undefined;
    if (chain !== undefined) {
      addEntry(content, chain, line.size);
    } else if (position === snapshotPosition && line.storedChecksum === sums.get(snapshotPosition) && !isFound) {
      content.isFound = true;
    } else if (position !== undefined && isEntryAt(position, line, content)) {
      content.repeated++;
    } else if (offset > 0 && (isFound || position === undefined || position > snapshotPosition)) {
      const changed = 'expected the line as it was written, got a changed one';
      damage ??= { name, offset, isTorn: !isEnded, found: isEnded ? changed : 'the last line is incomplete' };
      // Reading ends at the first damaged log entry, because the checksums of all later entries depend on this entry.
      if (isFound) break;
    }
    if (content.isFound && !isFound) damage = undefined;
  }
  return damage;
}

/**
 * Checks whether a file belongs to this log and continues the entries of the earlier files. Returns the reason if the
 * check fails, such as missing entries in between; `undefined` if the check succeeds.
 */
function mismatch(header: LogHeader | undefined, content: Content): string | undefined {
  if (header === undefined) return 'expected a file with a header, got one that is empty or was changed';
  const { birth, after, chain } = header;
  const { last } = content;
  if (birth.id !== content.identity.id) return 'expected a file of this log, got a file of another log';
  if (after > last) return `expected entry ${last + 1}, got a file that begins with ${after + 1}`;
  if (after < last || chain === lastChain(content)) return undefined;
  return 'expected a file that continues the previous file, got one that continues different entries';
}

/**
 * Whether a line of a log file is the log's entry at `position`. Compares checksums, which include all earlier entries.
 */
function isEntryAt(position: number, line: Line, { sums }: Content): boolean {
  const [before, sum] = [sums.get(position - 1), sums.get(position)];
  return before !== undefined && sum !== undefined && line.check(before) === sum;
}

/** Reads the log's entries after the snapshot, to apply them to the server's state. */
async function* readEntries(folder: string, content: Content): AsyncGenerator<FoundEntry, void, undefined> {
  let next = content.snapshotPosition + 1;
  for (const { name, version } of content.files) {
    for (const line of readLines(join(folder, name))) {
      if (line.position !== next || !isEntryAt(next, line, content)) continue;
      next++;
      yield { ...line.parse<LogEntry>(), version };
    }
  }
}

/**
 * Moves damaged entries and all later ones out of the log.
 * @returns the sentence that informs the user
 */
function repair(folder: string, damage: Damage, position: number, names: readonly string[]): string {
  const { name, offset, isTorn, found } = damage;
  const later = names.slice(names.indexOf(name) + 1);
  const after = position === 0 ? 'from its beginning' : `after entry ${position}`;
  if (isTorn && later.length === 0) {
    const bytes = bytesOf(folder, name) - offset;
    fs.truncateSync(join(folder, name), offset);
    return `The last write to ${name} was interrupted ${after}; its ${bytes} bytes were removed.`;
  }
  const aside = setAsideFrom(folder, name, offset, later).join(', ');
  return `Failed to read ${name} ${after}: ${found}; later entries are lost and were set aside as ${aside}.`;
}

/**
 * Ends a log before an unusable entry, and keeps the removed entries in renamed files.
 * @returns the new names of the files
 */
function setAsideFrom(folder: string, name: string, offset: number, later: readonly string[]): string[] {
  // Renames the log's damaged files from the last to the first, so that the log has no missing file in between if the
  // process is killed meanwhile.
  const aside = later.toReversed().map((each) => renameAside(folder, each));
  if (offset === 0) aside.push(renameAside(folder, name));
  else {
    const rest = fs.readFileSync(join(folder, name)).subarray(offset);
    const restName = asideName(folder, name);
    fs.writeFileSync(join(folder, restName), rest, { flag: 'wx', mode: 0o600, flush: true });
    fs.truncateSync(join(folder, name), offset);
    aside.push(restName);
  }
  return aside.reverse();
}

/** Formats a snapshot of the server's state as the lines of a file. Yields the bytes in chunks. */
function* snapshotLines(header: SnapshotHeader, pieces: Iterable<unknown>): Generator<Buffer> {
  let [size, chain, count] = [0, 0, 0];
  let lines: Buffer[] = [];
  const add = (record: object) => {
    const line = formatLine(record, chain);
    chain = line.chain;
    size += line.bytes.length;
    lines.push(line.bytes);
  };
  add(header);
  for (const piece of pieces) {
    add({ piece });
    count++;
    if (size < snapshotWriteBytes) continue;
    yield Buffer.concat(lines);
    size = 0;
    lines = [];
  }
  add({ end: { pieces: count } });
  yield Buffer.concat(lines);
}

/** Checks all lines of a snapshot file by their checksums. Returns the header, or `undefined` for a damaged file. */
function checkSnapshot(path: string): SnapshotHeader | undefined {
  const header = readHeader<SnapshotHeader>(path, 'petstore-sim snapshot');
  let [chain, pieces, isWhole] = [0, 0, false];
  for (const line of readLines(path)) {
    const sum = isWhole ? undefined : line.check(chain);
    if (sum === undefined) return undefined;
    chain = sum;
    if (line.startsWithField('piece')) pieces++;
    isWhole = line.startsWithField('end') && line.parse<{ end: { pieces: number } }>().end.pieces === pieces;
  }
  return isWhole ? header : undefined;
}

/**
 * Reads the parts of the server's state from a snapshot file, one part per line. The caller must have verified the
 * checksums of the file.
 */
async function* readPieces(folder: string, position: number): AsyncGenerator<unknown, void, undefined> {
  for (const line of readLines(join(folder, snapshotName(position)))) {
    if (line.startsWithField('piece')) yield line.parse<{ piece: unknown }>().piece;
  }
}

/**
 * Deletes snapshots and log files that the newest snapshot replaces. Keeps the previous snapshot and the entries after
 * it for recovery from damage, unless the folder would become too large.
 * @param size size of the newest snapshot, in bytes
 * @param logBytes expected size of the log entries until the next snapshot, in bytes
 */
async function deleteReplacedFiles(folder: string, size: number, logBytes: number): Promise<void> {
  const { logs, snapshots } = listFolder(folder);
  const filesFrom = (position: number) => [
    ...filesAfter(logs, position),
    ...snapshots.filter((snapshot) => snapshot.position >= position).map(({ name }) => name),
  ];
  const [newest = 0, before = 0] = snapshots.map(({ position }) => position).reverse();
  const bytesBefore = filesFrom(before).reduce((sum, name) => sum + bytesOf(folder, name), 0);
  const isRoom = bytesBefore + logBytes + size <= 3 * size + spareBytes;
  const needed = new Set(filesFrom(isRoom ? before : newest));
  for (const { name } of [...logs, ...snapshots]) {
    if (!needed.has(name)) await rm(join(folder, name), { force: true });
  }
}

function removeLog(folder: string): void {
  const { logs, snapshots } = listFolder(folder);
  // Deletes the log's files from the last to the first. If the process is killed meanwhile, the remaining files still
  // form a log without a gap.
  for (const { name } of [...snapshots, ...logs].reverse()) fs.rmSync(join(folder, name), { force: true });
}

const numbered = (position: number) => String(position).padStart(12, '0');
const logName = (first: number) => `log-${numbered(first)}.jsonl`;
const snapshotName = (position: number) => `snapshot-${numbered(position)}.jsonl`;
/** Returns the temporary name of a file that is being written. */
const unfinished = (path: string) => `${path}.unfinished`;
const asidePrefix = 'set-aside-';
const filePattern = /^(log|snapshot)-(\d{12,})\.jsonl(\.unfinished)?$/;
const lockPattern = /^lock-(?:\d+\.json|[0-9a-f]+\.(?:sock|draft))$/;

/**
 * File of a log, with the log position in its name: for entries, the position of the first entry; for a snapshot, the
 * position of the last entry that the snapshot includes.
 */
type Numbered = { readonly name: string; readonly position: number };

/**
 * Lists the files in the folder of a server's log (`--data FOLDER`) by kind, such as log files, snapshots and locks.
 * Sorts log files and snapshots by the log position in their names.
 */
function listFolder(folder: string) {
  const files: Record<'log' | 'snapshot', Numbered[]> = { log: [], snapshot: [] };
  const [unfinished, folders, locks, others]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const { name } = entry;
    const [, kind, position, isUnfinished] = filePattern.exec(name) ?? [];
    if (kind !== undefined && entry.isDirectory()) folders.push(name);
    else if (isUnfinished !== undefined) unfinished.push(name);
    else if (kind !== undefined) files[kind as 'log' | 'snapshot'].push({ name, position: Number(position) });
    else if (lockPattern.test(name)) locks.push(name);
    // Accepts hidden files and `lost+found` in the log's folder, because a new volume may contain them.
    else if (!name.startsWith(asidePrefix) && !name.startsWith('.') && name !== 'lost+found') others.push(name);
  }
  for (const list of Object.values(files)) list.sort((a, b) => a.position - b.position);
  return { logs: files.log, snapshots: files.snapshot, unfinished, folders, locks, others };
}

/**
 * Returns the names of the log files that can contain entries after the entry number `position`. A log consists of
 * consecutive files.
 */
const filesAfter = (logs: readonly Numbered[], position: number): string[] =>
  logs
    .filter((_, index) => (logs[index + 1]?.position ?? Number.POSITIVE_INFINITY) > position + 1)
    .map(({ name }) => name);

const bytesOf = (folder: string, name: string): number => fs.statSync(join(folder, name)).size;

/**
 * Renames a file, so that it is no part of the log, to an unused name that begins with `set-aside-`.
 * @returns the name
 */
function renameAside(folder: string, name: string): string {
  const aside = asideName(folder, name);
  fs.renameSync(join(folder, name), join(folder, aside));
  return aside;
}

function asideName(folder: string, name: string): string {
  let number = 1;
  while (fs.existsSync(join(folder, `${asidePrefix}${number}-${name}`))) number++;
  return `${asidePrefix}${number}-${name}`;
}

/** Flushes the list of files in a folder to the disk, so that new and renamed files survive a power loss. */
async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder to flush it. It needs no flush either, because it writes changes of a folder to the
  // disk in order.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Creates the log's folder, which only this user can read. Checks an existing folder.
 * @throws {LogOpenError} for an unusable folder
 */
function createFolder(folder: string): void {
  makeFolders(resolve(folder), 0o700);
  fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  const { logs, snapshots, unfinished, locks, others } = listFolder(folder);
  if (others.length === 0 || [...logs, ...snapshots, ...unfinished, ...locks].length > 0) return;
  throw new LogOpenError(
    `expected an empty folder or one with a log, got ${folder}, which has ${others.slice(0, 3).join(', ')}; name another folder`,
  );
}

/** Converts a system error about the log's folder to an error with advice. Returns any other error unchanged. */
function explain(folder: string, error: unknown): unknown {
  const { code = '', message, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const noFolder = `a folder for the log, got ${folder}, which is a file or lies below one; name another`;
  const noRight = `a folder that this user may write, got ${folder} (${code}); change its owner or its mode, or name another`;
  const noRoom = `room in ${folder}, got a full disk (${code}); make room, or name another`;
  const advice: Record<string, string> = {
    ENOTDIR: noFolder,
    EEXIST: noFolder,
    EACCES: noRight,
    EPERM: noRight,
    EROFS: `a folder that can be written, got ${folder} on a read-only file system (${code}); mount it for writing, or name another`,
    ENOSPC: noRoom,
    EDQUOT: noRoom,
  };
  return new LogOpenError(`expected ${advice[code] ?? `a folder for the log, got ${folder}: ${message}`}`);
}

/**
 * Locks a folder, so that no second process on this machine writes to its log. The owner has the lock file with the
 * highest number, and listens on a socket. If no process listens, a new process takes over by creating the next number,
 * which only one process can do. A process id proves nothing, because processes of two containers can both have the id
 * 1.
 * @param onRemoved called when the folder is removed or emptied
 * @returns a function that releases the lock
 * @throws {LogOpenError} if another process has the lock
 */
async function lockFolder(folder: string, onRemoved: () => void): Promise<() => void> {
  const id = randomBytes(6).toString('hex');
  const socket = await listen(folder, `lock-${id}.sock`);
  // Content of the lock file. Only `socket` proves that the lock's owner runs, because the operating system closes the
  // socket with the process. The other fields are for people who read the file.
  const note = { socket: socket.address, pid: process.pid, host: hostname(), since: new Date().toISOString() };
  try {
    const name = await createLockFile(folder, `lock-${id}.draft`, JSON.stringify(note));
    for (const other of listFolder(folder).locks) {
      // Deletes the lock files and sockets of ended processes. A socket that accepts connections belongs to this
      // process, or to another one that still tries to lock the folder.
      const isUsed = other === name || (other.endsWith('.sock') && (await isListening(join(folder, other))));
      if (!isUsed) fs.rmSync(join(folder, other), { force: true });
    }
    const watch = setInterval(() => fs.existsSync(join(folder, name)) || onRemoved(), watchMs).unref();
    return () => {
      clearInterval(watch);
      socket.close();
    };
  } catch (error) {
    socket.close();
    throw error;
  }
}

/**
 * Creates the lock file that reserves the log's folder for this process.
 * @returns the file's name
 */
async function createLockFile(folder: string, draft: string, text: string): Promise<string> {
  for (;;) {
    const last = lastLock(folder);
    if (last > 0) await refuseIfLocked(folder, lockName(last));
    const name = lockName(last + 1);
    fs.writeFileSync(join(folder, draft), text, { mode: 0o600 });
    try {
      // A hard link makes the complete lock file appear at once, and fails if the name exists.
      fs.linkSync(join(folder, draft), join(folder, name));
    } catch (error) {
      // Another process was faster: it created the lock file (EEXIST) or deleted this process's draft (ENOENT).
      if (!/^(?:EEXIST|ENOENT)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
      continue;
    } finally {
      fs.rmSync(join(folder, draft), { force: true });
    }
    if (lastLock(folder) === last + 1) return name;
    // Removes this process's lock file and tries again, because another process has created a lock file with a higher
    // number. Only the file with the highest number locks the folder.
    fs.rmSync(join(folder, name), { force: true });
  }
}

const lockName = (number: number) => `lock-${number}.json`;

const lastLock = (folder: string): number =>
  Math.max(0, ...listFolder(folder).locks.map((name) => Number(/^lock-(\d+)\.json$/.exec(name)?.[1] ?? 0)));

async function refuseIfLocked(folder: string, name: string): Promise<void> {
  const { socket, pid, host, since } = readNote(join(folder, name));
  if (typeof socket !== 'string' || !(await isListening(resolve(folder, socket)))) return;
  throw new LogOpenError(
    `expected a folder that no other process uses, got ${folder}, which process ${pid} on ${host} has used since ${since}; end it, or use another folder`,
  );
}

/** Ignores a damaged lock file, because the lock file of a running process is always complete. */
function readNote(path: string): Record<string, unknown> {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')) ?? {};
  } catch {
    return {};
  }
}

/** Maximum length of a socket's path, in bytes. macOS cuts longer ones at 104 bytes, Linux at 108. */
const longestPathBytes = 100;
/**
 * Codes of the system errors by which a file system without support for sockets responds, such as a folder shared with
 * another operating system.
 */
const withoutSockets = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS', 'EIO'];

/**
 * Opens a socket that proves that this process uses the log's folder. It is in the folder, so that other containers can
 * reach it. If sockets are impossible there, it is in the folder for temporary files; on Windows, it is a pipe.
 * @returns the name in the folder, or the path
 */
async function listen(folder: string, name: string): Promise<{ address: string; close(): void }> {
  const isPipe = process.platform === 'win32';
  const listenAt = async (address: string): Promise<{ address: string; close(): void }> => {
    const server = createServer((socket) => socket.destroy()).unref();
    const path = resolve(folder, address);
    server.listen(path);
    await once(server, 'listening');
    try {
      if (!isPipe) fs.chmodSync(path, 0o600);
    } catch (error) {
      server.close();
      // Opens the lock socket of the log's folder again, because another process deleted the socket file as apparently
      // unused.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT' && fs.existsSync(folder)) return listenAt(address);
      throw error;
    }
    return {
      address,
      close() {
        server.close();
        if (!isPipe) fs.rmSync(path, { force: true });
      },
    };
  };
  if (isPipe) return listenAt(`\\\\.\\pipe\\petstore-sim-${name}`);
  const elsewhere = join(tmpdir(), `petstore-sim-${name}`);
  if (Buffer.byteLength(resolve(folder, name)) > longestPathBytes) return listenAt(elsewhere);
  return listenAt(name).catch((error) => {
    if (withoutSockets.includes((error as NodeJS.ErrnoException).code ?? '')) return listenAt(elsewhere);
    throw error;
  });
}

/**
 * Whether a process listens on a socket. A paused or busy process still accepts connections, so only a refused one
 * proves its end.
 */
async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  const isEnded = ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED' || code === 'ENOENT';
  const result = once(socket, 'connect').then(
    () => true,
    (error) => !isEnded(error),
  );
  return result.finally(() => socket.destroy());
}
