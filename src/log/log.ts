/**
 * One ordered log of what a simulator was told to do. Whatever keeps it, a file or a store, does so behind `Log`.
 */

/** An answer of an earlier entry: its position and a hash, by which a later version sees whether it still agrees. */
export type AnswerHash = readonly [position: number, hash: string];

/** What is handed in to be written. Values are JSON, in which a whole number may be a bigint. */
export interface NewEntry {
  /** The machine instant of its commands in Unix milliseconds; never before that of the entry before it. */
  readonly atMs: number;
  readonly commands: readonly unknown[];
  /** Hashes that have become known since the last entry. */
  readonly answered?: readonly AnswerHash[];
}

/** An entry as it stands in the log. */
export interface LogEntry extends NewEntry {
  /** 1, 2, 3 and so on, without a gap. */
  readonly position: number;
  /** Who wrote it, in which of its lives, and as its how manieth: an entry that is sent twice is applied once. */
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /** It came after its deadline: what somebody waited for in it is not done, by nobody. */
  readonly isLate?: boolean;
}

/** An entry that was there at the start, with the version of petstore-sim that wrote it. */
export interface FoundEntry extends LogEntry {
  readonly version: string;
}

/** The scenario that a log began with: its name, or its file, and a hash of its content. */
export interface LogScenario {
  readonly name: string;
  readonly hash: string;
}

/** What every engine is opened with. The file's is `openFileLog(folder, options)` of `file/open-file-log.js`. */
export interface OpenLogOptions {
  /** The version of petstore-sim that opens it, for what it writes. */
  readonly version: string;
  /** What a new log begins with. The log that is there may have begun with another: compare with `birth`. */
  readonly scenario: LogScenario;
  /** Begins a new log in place of the one that is there, which is deleted. Default false. */
  readonly reset?: boolean;
}

/** What a log was begun with; two logs never have the same `id`. */
export interface LogBirth {
  readonly id: string;
  readonly scenario: LogScenario;
}

/** The state after the entry at `position`, in the pieces in which it was written. */
export interface FoundSnapshot {
  readonly position: number;
  /** The version of petstore-sim that wrote it. */
  readonly version: string;
  readonly pieces: AsyncIterable<unknown>;
}

/** What an opened log has in it. Read `snapshot.pieces` to the end, then `entries` to the end, then append. */
export interface OpenedLog {
  readonly log: Log;
  readonly birth: LogBirth;
  /** Whether the log was begun just now. */
  readonly isNew: boolean;
  /** The newest whole snapshot, if there is one. */
  readonly snapshot: FoundSnapshot | undefined;
  /**
   * The entries after the snapshot, or all of them. Each is noted before it is given out, so that the start after next
   * knows an entry that ended two starts.
   */
  readonly entries: AsyncIterable<FoundEntry>;
  /** Sentences about what was lost, set aside, cut back or written by another version; empty when all is well. */
  readonly notices: readonly string[];
}

export interface Log {
  /** The position of the last entry, 0 when there is none. */
  readonly position: number;
  /** The position of the newest whole snapshot, 0 when there is none. */
  readonly snapshotPosition: number;
  /** Whether the log has outgrown its bound and a snapshot should be written now. False while one is written. */
  readonly snapshotIsDue: boolean;
  /**
   * Writes an entry. Those of one turn may be written together; each promise resolves in the order of the positions.
   * @throws {LogUnavailableError} nothing of it was written, and later ones may well be
   * @throws {RangeError} for an entry longer than `maximumEntryBytes` with more than one command, or one over 64 MiB
   */
  append(entry: NewEntry): Promise<LogEntry>;
  /** Only of a log that others write to as well. */
  readonly shared?: SharedLog | undefined;
  /**
   * Writes the state after the entry at `position` and then drops what it makes needless. Pieces are pulled as they are
   * written, with turns of the event loop between them: capture their references first, and make each at most 64 KiB.
   * @throws {LogUnavailableError} the snapshot was not written and the log goes on without it
   */
  writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void>;
  /**
   * Takes the entry at `from` and all after it out of the log and keeps them aside. Only before the first append; open
   * the log again afterwards.
   * @param reason ends the sentence "... were set aside, because"
   * @returns the sentence
   */
  setAside(from: number, reason: string): Promise<string>;
  /** Waits for what is being written and gives the log free. Nothing can be appended afterwards. */
  close(): Promise<void>;
}

/** What a log that several processes write to does besides. */
export interface SharedLog {
  /** What this process is called in the log. */
  readonly writer: string;
  /**
   * Gives out every entry from now on, in the order of the log, those of this process too: `append` alone does not put
   * them in force.
   * @param onEntry called with what `append` was given where the entry is one of this process
   */
  follow(onEntry: (entry: LogEntry, own: NewEntry | undefined) => void): void;
  /** Resolves when everything is applied that was in the log when it was called, or when that cannot be known now. */
  catchUp(): Promise<void>;
  /** Told when another process has answered an entry otherwise than this one. */
  onDisagreement(position: number, writer: string): void;
}

/** What an entry may take as JSON, so that commands are written in pieces; one command alone may take more. */
export const maximumEntryBytes = 1024 * 1024;

/**
 * The entry could not be written now, as on a full disk; another attempt may well succeed. Nothing of it was written, unless
 * `isUncertain`: then it may have been, and may still come.
 */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
  readonly isUncertain: boolean;
  constructor(message: string, { isUncertain = false, ...options }: ErrorOptions & { isUncertain?: boolean } = {}) {
    super(message, options);
    this.isUncertain = isUncertain;
  }
}

/** A log cannot be opened. The message says what was expected, what was found and what to do. */
export class LogOpenError extends Error {
  override readonly name = 'LogOpenError';
}
