import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { counted } from '../../values/counted.js';
import {
  type FoundEntry,
  type Log,
  type LogBirth,
  type LogEntry,
  LogOpenError,
  LogUnavailableError,
  maximumEntryBytes,
  type NewEntry,
  type OpenedLog,
  type OpenLogOptions,
} from '../log.js';
import { format, formatLine, type Line, type LogHeader, readHeader, readLines, type SnapshotHeader } from './lines.js';
import { makeFolders } from './make-folders.js';

/*
 * The log of `--data`: an append-only log of JSON lines in a folder, with snapshots.
 *
 *     log-000000000001.jsonl          entries from position 1 on
 *     log-000000001201.jsonl          entries from position 1201 on; appended to
 *     snapshot-000000001200.jsonl     state after entry 1200
 *     lock-3.json, lock-*.sock        process that uses the folder
 *     set-aside-1-*.jsonl             unreadable parts
 */

export interface OpenFileLogOptions extends OpenLogOptions {
  /** Whether an entry is acknowledged only after a flush to the disk (fsync), to survive a power loss. Default false. */
  readonly flush?: boolean;
  /**
   * Called when the process has to end: a flush failed, or the folder was removed. Default: writes the sentence to standard
   * error and exits with code 1.
   */
  readonly onFatal?: (sentence: string) => void;
  /** Size of the log, in bytes, below which no snapshot is due. Default 16 MiB. */
  readonly leastLogBytes?: number;
}

/** One command may be an imported state. */
const maximumCommandBytes = 64 * 1024 * 1024;
/** Growth of the log, in bytes, between two attempts at a snapshot. */
const retryBytes = 1024 * 1024;
/** Size of the folder, in bytes, beyond three times the state. */
const spareBytes = 64 * 1024 * 1024;
/** Size of one write of a snapshot, in bytes: a few milliseconds of work between two turns of the event loop. */
const snapshotWriteBytes = 64 * 1024;
/** Interval of the check for a removed folder, in milliseconds. */
const watchMs = 2_000;

/**
 * Opens the log in a folder, or creates one. Moves unreadable parts aside and reports them in `notices`.
 * @throws {LogOpenError} for a folder that cannot be used: not a folder, not writable, in use by another process of this
 * machine, or in a newer format
 */
export async function openFileLog(folder: string, options: OpenFileLogOptions): Promise<OpenedLog> {
  const { version, scenario, reset = false, flush = false, leastLogBytes = 16 * 1024 * 1024 } = options;
  const { onFatal = endProcess } = options;
  let unlock = () => {};
  try {
    createFolder(folder);
    unlock = await lockFolder(folder, () =>
      onFatal(`Failed to keep the log: the folder ${folder} was removed or emptied; the process ends.`),
    );
    if (reset) removeLog(folder);
    const content = recover(folder, { id: randomUUID(), scenario });
    const { birth, snapshot, files, notices } = content;
    const written = files.at(-1)?.version ?? snapshot?.version ?? version;
    if (written !== version) notices.push(`The log was written by petstore-sim ${written}; this is ${version}.`);
    return {
      log: new FileLog(folder, unlock, content, { version, flush, leastLogBytes, onFatal }),
      birth,
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

function endProcess(sentence: string): void {
  process.stderr.write(`petstore-sim: ${sentence}\n`);
  process.exit(1);
}

type Options = Required<Omit<OpenFileLogOptions, 'scenario' | 'reset'>>;

/** A log in the files of a folder. Entries are written before `append` returns; only flushes take turns. */
class FileLog implements Log {
  readonly #folder: string;
  readonly #unlock: () => void;
  readonly #content: Content;
  readonly #options: Options;
  #sequence = 0;
  /** File that entries are appended to. */
  #file: OpenFile;
  /** Size of the log since the newest snapshot, or since the last attempt at one, that makes a snapshot due, in bytes. */
  #dueBytes: number;
  #isDue = false;
  #writingSnapshot: Promise<void> | undefined;
  /** Descriptors of former files, to be flushed and closed. */
  #rotated: number[] = [];
  #isFolderFlushed = true;
  #runningFlush: Promise<void> = Promise.resolve();
  #nextFlush: Promise<void> | undefined;
  /** Reason for refusing entries. */
  #ended: string | undefined;

  /** @throws {Error} the system's, if the file to append to cannot be opened or created */
  constructor(folder: string, unlock: () => void, content: Content, options: Options) {
    this.#folder = folder;
    this.#unlock = unlock;
    this.#content = content;
    this.#options = options;
    const { snapshot } = content;
    const stateBytes = snapshot ? bytesOf(folder, snapshotName(snapshot.position)) : 0;
    this.#dueBytes = Math.max(options.leastLogBytes, stateBytes);
    // The header of a file has the version of all its entries.
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
      incarnation: this.#content.incarnation + 1,
      sequence: this.#sequence + 1,
      writer: 'file',
      atMs,
      ...(answered !== undefined && answered.length > 0 && { answered }),
      commands,
    };
    const { text, chain } = formatLine(entry, lastChain(this.#content));
    const bytes = Buffer.from(text);
    const most = commands.length > 1 ? maximumEntryBytes : maximumCommandBytes;
    if (bytes.length > most) throw tooLong(most, bytes.length, commands.length);
    this.#write(bytes);
    if (fs.fstatSync(this.#file.descriptor).nlink === 0) {
      throw this.#end(`Failed to keep the log: its file was removed from ${this.#folder}; the process ends.`);
    }
    this.#sequence++;
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
    if (this.#sequence > 0) throw new RangeError('expected entries to be set aside before the first is appended');
    this.#ended = 'Expected the log to be opened again after entries were set aside.';
    const names = listFolder(this.#folder).logs.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      for (const line of readLines(join(this.#folder, name))) {
        if (line.place?.position !== from) continue;
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

  /** @throws {LogUnavailableError} if the system writes less than all bytes; none remain then */
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

  /** Flushes all written entries. Callers that arrive during a flush share the next. */
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

  /** Refuses all further entries and ends the process. @returns the error for the current entry */
  #end(sentence: string, cause?: unknown): LogUnavailableError {
    this.#ended = sentence;
    this.#options.onFatal(sentence);
    return new LogUnavailableError(sentence, { cause });
  }

  /** Starts a new file for a log that has outgrown its bound, so that the next snapshot replaces the old one. */
  #rotateIfDue(): void {
    if (this.#content.bytes <= this.#dueBytes || this.#writingSnapshot !== undefined) return;
    const { descriptor, size } = this.#file;
    try {
      fs.ftruncateSync(descriptor, size);
      this.#file = this.#createFile();
    } catch {
      // On a full disk the next entry fails with the reason, or tries again.
      return;
    }
    if (this.#options.flush) this.#rotated.push(descriptor);
    else fs.closeSync(descriptor);
    this.#content.bytes = 0;
    this.#isDue = true;
  }

  /** Creates the file for the next entry. It gets its name when its header is complete. */
  #createFile(): OpenFile {
    const { birth, last: after } = this.#content;
    const place = { birth, after, chain: lastChain(this.#content) };
    const header: LogHeader = { file: 'petstore-sim log', format, version: this.#options.version, ...place };
    const path = join(this.#folder, logName(after + 1));
    try {
      fs.writeFileSync(unfinished(path), formatLine(header, 0).text, { mode: 0o600 });
      fs.renameSync(unfinished(path), path);
    } catch (error) {
      fs.rmSync(unfinished(path), { force: true });
      throw error;
    }
    this.#isFolderFlushed = false;
    return openToAppend(this.#folder, logName(after + 1));
  }

  /** Writes a snapshot under another name, flushes it and renames it. Leaves nothing on an error. */
  async #writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void> {
    const { birth, sums, last, incarnation, bytes } = this.#content;
    const { version, leastLogBytes } = this.#options;
    const chain = sums.get(position);
    const [first = last] = sums.keys();
    if (chain === undefined) throw new RangeError(`expected a position from ${first} to ${last}, got ${position}`);
    const place = { position, chain, incarnation: incarnation + 1 };
    const header: SnapshotHeader = { file: 'petstore-sim snapshot', format, version, birth, ...place };
    const path = join(this.#folder, snapshotName(position));
    this.#isDue = false;
    this.#dueBytes = bytes + retryBytes;
    try {
      await writeFile(unfinished(path), snapshotText(header, pieces), { mode: 0o600, flush: true });
      await rename(unfinished(path), path);
      await flushFolder(this.#folder);
    } catch (error) {
      await rm(unfinished(path), { force: true });
      throw unavailable('a snapshot', error);
    }
    const { size } = fs.statSync(path);
    this.#content.snapshot = header;
    this.#dueBytes = Math.max(leastLogBytes, size);
    for (const before of sums.keys()) if (before < position) sums.delete(before);
    await deleteReplacedFiles(this.#folder, size, this.#dueBytes);
  }
}

interface OpenFile {
  readonly name: string;
  readonly descriptor: number;
  /** Size of the whole lines, in bytes. */
  size: number;
}

function openToAppend(folder: string, name: string): OpenFile {
  const descriptor = fs.openSync(join(folder, name), 'r+');
  return { name, descriptor, size: fs.fstatSync(descriptor).size };
}

const closed = 'The log is closed.';
const flushFile = promisify(fs.fdatasync);
const tooLong = (most: number, bytes: number, commands: number) =>
  new RangeError(`expected an entry of at most ${most} bytes, got ${counted(commands, 'command')} in ${bytes} bytes`);

/** Turns an error of a write into advice; returns an error that is not the system's unchanged. */
function unavailable(name: string, error: unknown): unknown {
  const { code = '', message, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  // No space on the disk, in the user's quota, or within the limit of one file.
  const isFull = ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(code);
  const reason = isFull ? `the disk is full (${code}); free some space, and writing continues` : message;
  return new LogUnavailableError(`Failed to write to ${name}: ${reason}.`, { cause: error });
}

/** Readable content of a folder. */
interface Content {
  readonly birth: LogBirth;
  snapshot: SnapshotHeader | undefined;
  /** Files with the entries after `from`. If the list is empty, the log starts a new file. */
  files: { readonly name: string; readonly version: string }[];
  /** Position of the snapshot at the start, 0 without one. */
  readonly from: number;
  /** Position of the last entry. */
  last: number;
  /** Checksums of the entries by position, from `from` on. Each continues the one before. */
  readonly sums: Map<number, number>;
  /** Size of the entries after `from`, in bytes. */
  bytes: number;
  /** Latest incarnation that wrote to the log, 0 for none. */
  incarnation: number;
  /** Whether the files have the entry at `from`, or the start of the log. */
  isFound: boolean;
  /** Number of lines that repeat an earlier entry. */
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

/** Content before any entry. A log's first checksum is made of its birth, so that entries of another log fail the check. */
function emptyContent(birth: LogBirth, notices: string[], snapshot?: SnapshotHeader): Content {
  const from = snapshot?.position ?? 0;
  const sums = new Map([[from, snapshot?.chain ?? Number.parseInt(birth.id.slice(0, 8), 16)]]);
  const none = { files: [], bytes: 0, isFound: false, repeated: 0 };
  return { ...none, birth, snapshot, from, last: from, sums, incarnation: snapshot?.incarnation ?? 0, notices };
}

/**
 * Finds the newest whole snapshot and the entries after it, and sets aside unreadable parts.
 * @param newBirth birth of the log that begins if the folder has none
 * @throws {LogOpenError} for a file in a newer format, before anything is changed
 */
function recover(folder: string, newBirth: LogBirth): Content {
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
  const birth = snapshot?.birth ?? headers.find((header) => header !== undefined)?.birth ?? newBirth;
  const content = emptyContent(birth, notices, snapshot);
  const needed = filesAfter(logs, content.from);
  let damage: Damage | undefined;
  for (const name of needed) damage ??= readFile(folder, name, content);
  const { from, last, isFound, repeated } = content;
  if (snapshot !== undefined && !isFound && damage === undefined) {
    notices.push(`Failed to find the log after entry ${from}: later entries are lost.`);
  }
  if (repeated > 0) {
    const were = repeated === 1 ? 'was' : 'were';
    notices.push(`${counted(repeated, 'entry', 'entries')} ${were} found twice; each was applied once.`);
  }
  if (damage !== undefined) notices.push(repair(folder, damage, last, needed));
  if (snapshot === undefined && !isFound) return emptyContent(newBirth, notices);
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
  /** Whether the last line is incomplete, as after an interrupted write. */
  readonly isTorn: boolean;
  readonly found: string;
}

/** Adds the entries of a file to a content, up to the first damage. */
function readFile(folder: string, name: string, content: Content): Damage | undefined {
  const header = readHeader<LogHeader>(join(folder, name), 'petstore-sim log');
  const found = mismatch(header, content);
  if (header === undefined || found !== undefined) return { name, offset: 0, isTorn: false, found: found ?? '' };
  content.files.push({ name, version: header.version });
  content.isFound ||= header.after === content.from;
  /** Damage before the place where the content starts is harmless if that place follows. */
  let damage: Damage | undefined;
  for (const line of readLines(join(folder, name))) {
    const { offset, place, isEnded } = line;
    const { from, last, sums, isFound } = content;
    const chain = place?.position === last + 1 ? line.check(lastChain(content)) : undefined;
    if (place !== undefined && chain !== undefined) {
      addEntry(content, chain, line.size);
      content.incarnation = place.incarnation;
    } else if (place?.position === from && line.storedChecksum === sums.get(from) && !isFound) {
      content.isFound = true;
    } else if (place !== undefined && isEntryAt(place.position, line, content)) {
      content.repeated++;
    } else if (offset > 0 && (isFound || place === undefined || place.position > from)) {
      const changed = 'expected an unchanged line, got a changed one';
      damage ??= { name, offset, isTorn: !isEnded, found: isEnded ? changed : 'the last line is incomplete' };
      // The checksum of each entry continues the one before, so nothing after a damaged entry can be verified.
      if (isFound) break;
    }
    if (content.isFound && !isFound) damage = undefined;
  }
  return damage;
}

/** Reason why a file does not continue the log, if any. */
function mismatch(header: LogHeader | undefined, content: Content): string | undefined {
  if (header === undefined) return 'expected a file with a header, got one that is empty or was changed';
  const { birth, after, chain } = header;
  const { last } = content;
  if (birth.id !== content.birth.id) return 'expected a file of this log, got one of another';
  if (after > last) return `expected entry ${last + 1}, got a file that begins with ${after + 1}`;
  if (after < last || chain === lastChain(content)) return undefined;
  return 'expected a file that continues the one before, got one that does not';
}

/** Whether a line is the known entry at a position. */
function isEntryAt(position: number, line: Line, { sums }: Content): boolean {
  const [before, sum] = [sums.get(position - 1), sums.get(position)];
  return before !== undefined && sum !== undefined && line.check(before) === sum;
}

/** Reads the entries of a content again, to be applied. */
async function* readEntries(folder: string, content: Content): AsyncGenerator<FoundEntry, void, undefined> {
  let next = content.from + 1;
  for (const { name, version } of content.files) {
    for (const line of readLines(join(folder, name))) {
      if (line.place?.position !== next || !isEntryAt(next, line, content)) continue;
      next++;
      yield { ...line.parse<LogEntry>(), version };
    }
  }
}

/** Takes damaged entries and all after them out of the log. @returns the sentence for `notices` */
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

/** Moves a file from an offset on, and all files after it, out of the log. @returns the new names */
function setAsideFrom(folder: string, name: string, offset: number, later: readonly string[]): string[] {
  // The last file first: a process that is killed here leaves no gap between two files.
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

/** Lines of a snapshot, in chunks. */
function* snapshotText(header: SnapshotHeader, pieces: Iterable<unknown>): Generator<string> {
  let [text, chain, count] = ['', 0, 0];
  const add = (record: object) => {
    const line = formatLine(record, chain);
    chain = line.chain;
    text += line.text;
  };
  add(header);
  for (const piece of pieces) {
    add({ piece });
    count++;
    if (text.length < snapshotWriteBytes) continue;
    yield text;
    text = '';
  }
  add({ end: { pieces: count } });
  yield text;
}

/** Header of a snapshot that is whole and unchanged, otherwise `undefined`. */
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

/** Reads the pieces of a checked snapshot. */
async function* readPieces(folder: string, position: number): AsyncGenerator<unknown, void, undefined> {
  for (const line of readLines(join(folder, snapshotName(position)))) {
    if (line.startsWithField('piece')) yield line.parse<{ piece: unknown }>().piece;
  }
}

/**
 * Deletes files that the newest snapshot replaces. The snapshot before it, or the start of the log, remains with its log if
 * the folder has room for both, for the log until the next snapshot, and for that snapshot.
 * @param size size of the newest snapshot, in bytes
 * @param logBytes size of the log at which the next is due, in bytes
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
  // The last file first: a process that is killed here leaves an earlier state of the log.
  for (const { name } of [...snapshots, ...logs].reverse()) fs.rmSync(join(folder, name), { force: true });
}

const numbered = (position: number) => String(position).padStart(12, '0');
const logName = (first: number) => `log-${numbered(first)}.jsonl`;
const snapshotName = (position: number) => `snapshot-${numbered(position)}.jsonl`;
/** Name or path of a file that is being written. */
const unfinished = (path: string) => `${path}.unfinished`;
const asidePrefix = 'set-aside-';
const filePattern = /^(log|snapshot)-(\d{12,})\.jsonl(\.unfinished)?$/;
const lockPattern = /^lock-(?:\d+\.json|[0-9a-f]+\.(?:sock|draft))$/;

/** A file with a position in its name: of its first entry, or of the snapshot. */
type Numbered = { readonly name: string; readonly position: number };

/** Files of a folder by kind; logs and snapshots by position. */
function listFolder(folder: string) {
  const files: Record<'log' | 'snapshot', Numbered[]> = { log: [], snapshot: [] };
  const [unfinished, folders, locks, others]: [string[], string[], string[], string[]] = [[], [], [], []];
  for (const each of fs.readdirSync(folder, { withFileTypes: true })) {
    const { name } = each;
    const [, kind, position, isUnfinished] = filePattern.exec(name) ?? [];
    if (kind !== undefined && each.isDirectory()) folders.push(name);
    else if (isUnfinished !== undefined) unfinished.push(name);
    else if (kind !== undefined) files[kind as 'log' | 'snapshot'].push({ name, position: Number(position) });
    else if (lockPattern.test(name)) locks.push(name);
    // Hidden files, and the folder that a new volume has, may be in any folder.
    else if (!name.startsWith(asidePrefix) && !name.startsWith('.') && name !== 'lost+found') others.push(name);
  }
  for (const list of Object.values(files)) list.sort((a, b) => a.position - b.position);
  return { logs: files.log, snapshots: files.snapshot, unfinished, folders, locks, others };
}

/** Names of the files that can have entries after a position: all but those that end before the next file's start. */
const filesAfter = (logs: readonly Numbered[], position: number): string[] =>
  logs
    .filter((_, index) => (logs[index + 1]?.position ?? Number.POSITIVE_INFINITY) > position + 1)
    .map(({ name }) => name);

const bytesOf = (folder: string, name: string): number => fs.statSync(join(folder, name)).size;

/** Renames a file to a free `set-aside-` name. @returns the name */
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

/** Flushes the names in a folder, so that created and renamed files survive a power loss. */
async function flushFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and writes its names in order.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Creates the folder for this user alone, or checks an existing one. @throws {LogOpenError} */
function createFolder(folder: string): void {
  makeFolders(resolve(folder), 0o700);
  fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
  const { logs, snapshots, unfinished, locks, others } = listFolder(folder);
  if (others.length === 0 || [...logs, ...snapshots, ...unfinished, ...locks].length > 0) return;
  throw new LogOpenError(
    `expected an empty folder or one with a log, got ${folder}, which has ${others.slice(0, 3).join(', ')}; name another folder`,
  );
}

/** Turns an error of the system into advice; returns other errors unchanged. */
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
 * Locks a folder for this process, among the processes and containers of one machine. The lock file with the greatest number
 * belongs to the owner. A process that finds the owner dead creates the next number, which only one process can, and the
 * greatest number is never deleted. A process number alone proves nothing: two containers are both process 1.
 * @param onRemoved called when the folder is removed or emptied
 * @returns a function that releases the lock
 * @throws {LogOpenError} if another process has the lock
 */
async function lockFolder(folder: string, onRemoved: () => void): Promise<() => void> {
  const id = randomBytes(6).toString('hex');
  const socket = await listen(folder, `lock-${id}.sock`);
  // Only the socket is used: the system closes it with the process. The other fields are for human readers.
  const note = { socket: socket.address, pid: process.pid, host: hostname(), since: new Date().toISOString() };
  try {
    const name = await createLockFile(folder, `lock-${id}.draft`, JSON.stringify(note));
    for (const other of listFolder(folder).locks) {
      // A socket of a process that is about to be refused, or of this one, is in use.
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

/** @returns the name of this process's lock file */
async function createLockFile(folder: string, draft: string, text: string): Promise<string> {
  for (;;) {
    const last = lastLock(folder);
    if (last > 0) await refuseIfLocked(folder, lockName(last));
    const name = lockName(last + 1);
    fs.writeFileSync(join(folder, draft), text, { mode: 0o600 });
    try {
      // A link has its whole content at once, and only one process can create it.
      fs.linkSync(join(folder, draft), join(folder, name));
    } catch (error) {
      // Another process has created the same name, or as the new owner has deleted the draft.
      if (!/^(?:EEXIST|ENOENT)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
      continue;
    } finally {
      fs.rmSync(join(folder, draft), { force: true });
    }
    if (lastLock(folder) === last + 1) return name;
    // Other processes have taken and released the lock since `last` was read.
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

/** A lock file is created with its whole content, so a damaged one belongs to no living process. */
function readNote(path: string): Record<string, unknown> {
  try {
    return JSON.parse(fs.readFileSync(path, 'utf8')) ?? {};
  } catch {
    return {};
  }
}

/** Some systems cut longer socket paths: macOS after 104 bytes, Linux after 108. */
const longestPathBytes = 100;
/** Errors of file systems without sockets, often of folders that another system shares with this one. */
const withoutSockets = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS', 'EIO'];

/**
 * Listens on a socket in a folder, which all containers with the folder reach; on a file system without sockets, in the folder
 * for temporary files; on Windows, on a pipe.
 * @returns its address: its name in the folder, or its path
 */
async function listen(folder: string, name: string): Promise<{ address: string; close(): void }> {
  const server = createServer((socket) => socket.destroy()).unref();
  const isPipe = process.platform === 'win32';
  const listenAt = async (address: string) => {
    const path = resolve(folder, address);
    server.listen(path);
    await once(server, 'listening');
    if (!isPipe) fs.chmodSync(path, 0o600);
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

/** Whether a process listens on a socket. A stopped or busy one does; only a refused connection shows that it has ended. */
async function isListening(path: string): Promise<boolean> {
  const socket = connect(path);
  const isEnded = ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED' || code === 'ENOENT';
  const result = once(socket, 'connect').then(
    () => true,
    (error) => !isEnded(error),
  );
  return result.finally(() => socket.destroy());
}
