/**
 * The ordered log of a simulator's commands. Its engines, a folder and a store, implement `Log`.
 */

/** Position of an earlier entry and the hash of its responses, for comparison with another version or replica. */
export type AnswerHash = readonly [position: number, hash: string];

/** Submitted entry. Values are JSON, in which an integer may be a bigint. */
export interface NewEntry {
  /** Machine time of the entry's commands, in Unix milliseconds. Never decreases from entry to entry. */
  readonly atMs: number;
  readonly commands: readonly unknown[];
  /** Response hashes of earlier entries, computed since the last append. */
  readonly answered?: readonly AnswerHash[];
}

/** An entry of the log. */
export interface LogEntry extends NewEntry {
  /** Counted from 1, without a gap. */
  readonly position: number;
  /** Writer, incarnation (restart count) and sequence number, by which a resent entry is applied once. */
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /** Whether the entry arrived after its deadline; every reader skips its commands that have a waiting client. */
  readonly isLate?: boolean;
}

/** An entry read at the start, with the version of petstore-sim that wrote it. */
export interface FoundEntry extends LogEntry {
  readonly version: string;
}

/** First scenario of a log: its name or file, and a hash of its content. */
export interface LogScenario {
  readonly name: string;
  readonly hash: string;
}

/** Options of every engine, such as `openFileLog(folder, options)` of `file/file-log.js`. */
export interface OpenLogOptions {
  /** Version of petstore-sim that opens the log, and is written into it. */
  readonly version: string;
  /** Scenario of a new log. An existing log may have another; compare with `birth`. */
  readonly scenario: LogScenario;
  /** Whether to delete an existing log and begin a new one. Default false. */
  readonly reset?: boolean;
}

/** Identity of a log, unique by its `id`. */
export interface LogBirth {
  readonly id: string;
  readonly scenario: LogScenario;
}

/** State after the entry at `position`, in the pieces in which it was written. */
export interface FoundSnapshot {
  readonly position: number;
  /** Version of petstore-sim that wrote the snapshot. */
  readonly version: string;
  readonly pieces: AsyncIterable<unknown>;
}

/** An opened log. Read `snapshot.pieces` to the end, then `entries` to the end, then append. */
export interface OpenedLog {
  readonly log: Log;
  readonly birth: LogBirth;
  /** Whether the log has just begun. */
  readonly isNew: boolean;
  /** Newest whole snapshot, if any. */
  readonly snapshot: FoundSnapshot | undefined;
  /** Entries after the snapshot, or all entries. */
  readonly entries: AsyncIterable<FoundEntry>;
  /** Sentences about lost, set-aside and truncated entries, and about another version; usually empty. */
  readonly notices: readonly string[];
}

export interface Log {
  /** Position of the last entry, 0 for none. */
  readonly position: number;
  /** Position of the newest whole snapshot, 0 for none. */
  readonly snapshotPosition: number;
  /** Whether the log has outgrown its bound and needs a snapshot. False while one is written. */
  readonly snapshotIsDue: boolean;
  /**
   * Appends an entry. Entries of one turn may be written together; the promises resolve in the order of the positions.
   * @throws {LogUnavailableError} if nothing of the entry was written; a later one may succeed
   * @throws {RangeError} for an entry longer than `maximumEntryBytes` with more than one command, or one over 64 MiB
   */
  append(entry: NewEntry): Promise<LogEntry>;
  /** Present in a log with several writers. */
  readonly shared?: SharedLog | undefined;
  /**
   * Writes a snapshot of the state after the entry at `position`, then deletes the entries and snapshots that it replaces.
   * Pieces are read as they are written, with turns of the event loop between them: capture their references first, and make
   * each at most 64 KiB.
   * @throws {LogUnavailableError} if the snapshot was not written; the log continues without it
   */
  writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void>;
  /**
   * Moves the entry at `from` and all after it out of the log. Only before the first append; open the log again afterwards.
   * @param reason ends the sentence "... were set aside, because"
   * @returns the sentence
   */
  setAside(from: number, reason: string): Promise<string>;
  /** Flushes pending writes and releases the lock. Later appends fail. */
  close(): Promise<void>;
}

/** A log with several writers. */
export interface SharedLog {
  /** Name of this process in the log. */
  readonly writer: string;
  /**
   * Calls back with every further entry in the order of the log, including entries of this process, which `append` does not
   * apply.
   * @param onEntry called with the entry and, for one of this process, the entry as submitted
   */
  follow(onEntry: (entry: LogEntry, own: NewEntry | undefined) => void): void;
  /** Resolves when all entries written before the call are applied, or if the store does not respond. */
  catchUp(): Promise<void>;
  /** Called if another process responded to an entry differently than this one. */
  onDisagreement(position: number, writer: string): void;
}

/** Maximum size of an entry as JSON, in bytes; an entry with one command may be larger. */
export const maximumEntryBytes = 1024 * 1024;

/**
 * The entry could not be written, as on a full disk; another attempt may succeed. If `isUncertain`, the entry may have been
 * written, or may still arrive.
 */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
  readonly isUncertain: boolean;
  constructor(message: string, { isUncertain = false, ...options }: ErrorOptions & { isUncertain?: boolean } = {}) {
    super(message, options);
    this.isUncertain = isUncertain;
  }
}

/** A log cannot be opened. The message contains the expectation, the finding and advice. */
export class LogOpenError extends Error {
  override readonly name = 'LogOpenError';
}
