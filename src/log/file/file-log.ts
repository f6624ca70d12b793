import { closeSync } from 'node:fs';
import { counted } from '../../values/counted.js';
import {
  type Log,
  type LogBirth,
  type LogEntry,
  LogUnavailableError,
  maximumEntryBytes,
  type NewEntry,
} from '../log.js';
import { dropNeedless } from './drop-needless.js';
import { FlushGroup } from './flush-group.js';
import type { FolderLock } from './folder-lock.js';
import { format } from './headers.js';
import { formatLine } from './line.js';
import { LogWriter, unavailable } from './log-writer.js';
import type { LogPlace } from './scan-log.js';
import { setEntriesAside } from './set-entries-aside.js';
import { writeSnapshotFile } from './snapshot-file.js';

export interface FileLogOptions {
  readonly folder: string;
  readonly lock: FolderLock;
  readonly version: string;
  readonly birth: LogBirth;
  readonly incarnation: number;
  /** The last entry that is there. */
  readonly last: LogPlace;
  /** What the entries since the newest snapshot take. */
  readonly bytes: number;
  readonly snapshot: { readonly position: number; readonly bytes: number } | undefined;
  /** The file to go on in; without one a new file is begun. */
  readonly name: string | undefined;
  /** Whether an entry counts as written only when it would outlive a power loss. */
  readonly flush: boolean;
  /** The least that a log takes before a snapshot is due. */
  readonly leastLogBytes: number;
  /** Ends the process: it cannot be known what is on the disk. */
  readonly onFatal: (sentence: string) => void;
}

/** One command may be a state that was imported. */
const maximumCommandBytes = 64 * 1024 * 1024;
/** After a snapshot that could not be written, another is tried when the log has grown by this. */
const retryBytes = 1024 * 1024;
/** How far behind the last entry a snapshot may be. */
const rememberedChains = 65_536;

/** A log in the files of a folder. Entries are written at once, before `append` returns; only flushing takes turns. */
export class FileLog implements Log {
  readonly #options: FileLogOptions;
  readonly #writer: LogWriter;
  readonly #flushGroup: FlushGroup;
  /** The checksums of the last lines, by position. */
  readonly #chains = new Uint32Array(rememberedChains);
  #last: LogPlace;
  #sequence = 0;
  #snapshotPosition: number;
  /** What was written since the newest snapshot or the last attempt at one, and how much of it makes one due. */
  #bytes: number;
  #dueBytes: number;
  #isDue = false;
  #snapshotting: Promise<void> | undefined;
  /** Why nothing can be appended any more. */
  #over: string | undefined;

  /** @throws what the system says when the file to go on in cannot be opened or begun */
  constructor(options: FileLogOptions) {
    const { folder, name, snapshot, last, bytes, leastLogBytes } = options;
    this.#options = options;
    this.#last = last;
    this.#remember(last);
    this.#bytes = bytes;
    this.#dueBytes = Math.max(leastLogBytes, snapshot?.bytes ?? 0);
    this.#snapshotPosition = snapshot?.position ?? 0;
    this.#writer = new LogWriter(folder);
    this.#flushGroup = new FlushGroup(folder);
    if (name === undefined) this.#beginFile();
    else this.#writer.open(name);
    this.#lookWhetherDue();
  }

  get position(): number {
    return this.#last.position;
  }

  get snapshotPosition(): number {
    return this.#snapshotPosition;
  }

  get snapshotIsDue(): boolean {
    return this.#isDue && this.#snapshotting === undefined;
  }

  async append({ atMs, commands, answered }: NewEntry): Promise<LogEntry> {
    if (this.#over !== undefined) throw new LogUnavailableError(this.#over);
    const entry: LogEntry = {
      position: this.#last.position + 1,
      incarnation: this.#options.incarnation,
      sequence: this.#sequence + 1,
      writer: 'file',
      atMs,
      ...(answered !== undefined && answered.length > 0 && { answered }),
      commands,
    };
    const { text, chain } = formatLine(entry, this.#last.chain);
    const bytes = Buffer.from(text);
    refuseLong(bytes.length, commands.length);
    this.#writer.write(bytes);
    if (this.#writer.isRemoved)
      throw this.#end(`Failed to keep the log: its file was removed from ${this.#options.folder}; the process ends.`);
    this.#sequence++;
    this.#last = { position: entry.position, chain };
    this.#remember(this.#last);
    this.#bytes += bytes.length;
    const flushed = this.#options.flush ? this.#flush() : undefined;
    this.#lookWhetherDue();
    if (flushed !== undefined) await flushed;
    return entry;
  }

  async writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void> {
    if (this.#snapshotting !== undefined) throw new RangeError('expected one snapshot at a time, got a second');
    const behind = this.#last.position - position;
    if (!(behind >= 0 && behind < rememberedChains)) {
      throw new RangeError(`expected a position close to the last entry, ${this.#last.position}, got ${position}`);
    }
    this.#isDue = false;
    const written = this.#writeSnapshot(position, pieces);
    this.#snapshotting = written.then(
      () => {},
      () => {},
    );
    try {
      await written;
    } finally {
      this.#snapshotting = undefined;
    }
  }

  async setAside(from: number, reason: string): Promise<string> {
    if (this.#sequence > 0) throw new RangeError('expected entries to be set aside before the first is appended');
    this.#over = 'Expected a log that was opened again after entries were set aside, got one that was not.';
    return setEntriesAside(this.#options.folder, from, reason);
  }

  async close(): Promise<void> {
    if (this.#over === closed) return;
    this.#over = closed;
    await this.#snapshotting;
    if (this.#options.flush) await this.#flush();
    this.#writer.close();
    await this.#options.lock.release();
  }

  async #writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void> {
    const { folder, version, birth, incarnation, leastLogBytes } = this.#options;
    const chain = this.#chains[position % rememberedChains] as number;
    const header = { file: 'petstore-sim snapshot', format, version, birth, position, chain, incarnation } as const;
    this.#dueBytes = this.#bytes + retryBytes;
    const size = await writeSnapshotFile(folder, header, pieces).catch((error) => {
      throw isOfSystem(error) ? unavailable('a snapshot', error) : error;
    });
    this.#snapshotPosition = position;
    this.#dueBytes = Math.max(leastLogBytes, size);
    await dropNeedless(folder, size, this.#dueBytes);
  }

  /** A log that has outgrown its bound goes on in a new file, so that the old one can go with the next snapshot. */
  #lookWhetherDue(): void {
    if (this.#bytes <= this.#dueBytes || this.#snapshotting !== undefined) return;
    try {
      this.#beginFile();
    } catch {
      // The disk is full. The next entry tells, or tries again.
      return;
    }
    this.#bytes = 0;
    this.#isDue = true;
  }

  #beginFile(): void {
    const { version, birth } = this.#options;
    const { position: after, chain } = this.#last;
    const old = this.#writer.begin({ file: 'petstore-sim log', format, version, birth, after, chain });
    if (old === undefined) return;
    if (this.#options.flush) this.#flushGroup.retire(old);
    else closeSync(old);
  }

  #flush(): Promise<void> {
    return this.#flushGroup.flush(this.#writer.file).catch((error) => {
      const { message } = error as Error;
      const sentence = `Failed to flush ${this.#options.folder}: ${message}. What is on the disk is not known any more, so the process ends; start it again when the disk is well.`;
      throw this.#end(sentence, error);
    });
  }

  /** Appends nothing more, and ends the process. @returns the error of an entry that was being appended */
  #end(sentence: string, cause?: unknown): LogUnavailableError {
    this.#over = sentence;
    this.#options.onFatal(sentence);
    return new LogUnavailableError(sentence, { cause });
  }

  #remember({ position, chain }: LogPlace): void {
    this.#chains[position % rememberedChains] = chain;
  }
}

const closed = 'The log is closed.';

const isOfSystem = (error: unknown) => typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string';

function refuseLong(bytes: number, commands: number): void {
  const most = commands > 1 ? maximumEntryBytes : maximumCommandBytes;
  if (bytes <= most) return;
  throw new RangeError(
    `expected an entry of at most ${most} bytes, got ${counted(commands, 'command')} in ${bytes} bytes`,
  );
}
