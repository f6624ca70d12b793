/** Interface of an ordered log of commands. A folder and a Redis store implement it. */

/**
 * Position of a log entry, and the hash of all responses to it. Another version or replica compares the hash with its
 * own.
 */
export type ResponseHash = readonly [position: number, hash: string];

/** Entry to append to a log. Its values are JSON, in which an integer may be a bigint. */
export interface NewEntry {
  /** Machine time at which the commands apply, in Unix milliseconds. Never decreases from entry to entry. */
  readonly atMs: number;
  readonly commands: readonly unknown[];
  /** Hashes of responses to earlier entries. They are added to the first entry that is written after the responses. */
  readonly answered?: readonly ResponseHash[];
}

/** Entry of a log, with its position and writer. */
export interface LogEntry extends NewEntry {
  /** Position in the log, counted from 1 without gaps. */
  readonly position: number;
  /**
   * Name of the server that wrote the entry. With `incarnation` (how often it had opened the log) and `sequence`, it
   * identifies the entry: a repetition is skipped.
   */
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /** Whether the entry reached the log after the clients' timeout. Commands with a waiting client are then skipped. */
  readonly isLate?: boolean;
}

/** Entry that was read when the log was opened, with the version of petstore-sim that wrote it. */
export interface FoundEntry extends LogEntry {
  readonly version: string;
}

/** First scenario of a log: its name or file, and a hash of its content. */
export interface LogScenario {
  readonly name: string;
  readonly hash: string;
}

/** Options for opening any log, such as `openFileLog(folder, options)` of `folder/file-log.js`. */
export interface OpenLogOptions {
  /** Version of petstore-sim that opens the log. New entries contain it. */
  readonly version: string;
  /** Scenario with which a new log starts. An existing log may have another, which `identity` names. */
  readonly scenario: LogScenario;
  /** Whether to delete an existing log and start a new one. Default false. */
  readonly reset?: boolean;
}

/** Identity of a log: its unique id, and its first scenario. */
export interface LogIdentity {
  readonly id: string;
  readonly scenario: LogScenario;
}

/** Snapshot in a log: the state after the entry at `position`, as the pieces in which it was written. */
export interface FoundSnapshot {
  readonly position: number;
  /** Version of petstore-sim that wrote the snapshot. */
  readonly version: string;
  readonly pieces: AsyncIterable<unknown>;
}

/** Opened log. Read `snapshot.pieces` to the end, then `entries` to the end; only then append. */
export interface OpenedLog {
  readonly log: Log;
  readonly identity: LogIdentity;
  /** Whether the log is new, without earlier entries. */
  readonly isNew: boolean;
  /** Newest complete snapshot in the log, if any. */
  readonly snapshot: FoundSnapshot | undefined;
  /** Log entries after the snapshot. Without a snapshot, all entries. */
  readonly entries: AsyncIterable<FoundEntry>;
  /** Sentences for the user about lost or unreadable entries and other versions. Empty without problems. */
  readonly notices: readonly string[];
}

export interface Log {
  /** Position of the log's last entry; 0 for an empty log. */
  readonly position: number;
  /** Log position of the newest complete snapshot; 0 without a snapshot. */
  readonly snapshotPosition: number;
  /** Whether the log is so large that a snapshot should replace its entries. False while a snapshot is written. */
  readonly snapshotIsDue: boolean;
  /**
   * Appends an entry. Promises of several entries resolve in the order of their positions.
   * @throws {LogUnavailableError} if the entry was not written; a later one may succeed
   * @throws {RangeError} for an entry longer than `maximumEntryBytes` with more than one command, or an entry of more
   * than 64 MiB
   */
  append(entry: NewEntry): Promise<LogEntry>;
  /** Functions of a log that several servers share; `undefined` for any other log. */
  readonly shared?: SharedLog | undefined;
  /**
   * Writes a snapshot of the state after the entry at `position`, then deletes the entries and snapshots that it
   * replaces. Reads each of the pieces, which have at most 64 KiB, only shortly before it is written, with requests
   * handled in between. Pieces must not change meanwhile.
   * @throws {LogUnavailableError} if the snapshot was not written; the log continues without it
   */
  writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void>;
  /**
   * Moves the entry at `from` and all later ones from the log to other files. Call it before the first append, then
   * open the log again.
   * @param reason end of the sentence "... were set aside, because"
   * @returns the sentence
   */
  setAside(from: number, reason: string): Promise<string>;
  /** Flushes pending writes and releases the lock of the log. Later appends fail. */
  close(): Promise<void>;
}

/** Functions of a log that several servers write to. */
export interface SharedLog {
  /** Name of this server in the log's entries. */
  readonly writer: string;
  /**
   * Calls a function with every further entry of the log, in order. `append` only writes an entry, so the function also
   * gets this server's own entries.
   * @param onEntry called with the entry and, for one of this server, the entry as submitted
   */
  follow(onEntry: (entry: LogEntry, ownEntry: NewEntry | undefined) => void): void;
  /**
   * Resolves when all entries of the log at the time of the call are applied. Also resolves if the store does not
   * respond.
   */
  catchUp(): Promise<void>;
  /** Reports to the log that another server responded differently to an entry. */
  onDisagreement(position: number, writer: string): void;
}

/** Maximum size of a log entry with several commands, in bytes of JSON. */
export const maximumEntryBytes = 1024 * 1024;

/**
 * Error if the log did not store an entry, for example on a full disk. A later attempt may succeed. If `isUncertain`,
 * the entry may have been stored after all.
 */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
  readonly isUncertain: boolean;
  constructor(message: string, { isUncertain = false, ...options }: ErrorOptions & { isUncertain?: boolean } = {}) {
    super(message, options);
    this.isUncertain = isUncertain;
  }
}

/** Error if a log cannot be opened. The message contains what was expected, what was found, and advice. */
export class LogOpenError extends Error {
  override readonly name = 'LogOpenError';
}
