/** Interface of an ordered log of commands. A folder and a Redis store implement it. */

/**
 * Position of a log entry, and the hash of all responses that the entry's commands produced. Another replica or version
 * of the program compares the hash with its own.
 */
export type ResponseHash = readonly [position: number, hash: string];

/** Entry to append to a log. Its values are JSON, in which an integer may be a bigint. */
export interface NewEntry {
  /** Machine time at which the commands apply, in Unix milliseconds. Never decreases from entry to entry. */
  readonly atMs: number;
  readonly commands: readonly unknown[];
  /**
   * Hashes of the responses to earlier entries of the log. The responses to an entry are known only after the entry was
   * written, so a later entry contains their hash.
   */
  readonly answered?: readonly ResponseHash[];
}

/** Entry of a log, with its position and writer. */
export interface LogEntry extends NewEntry {
  /** Position of the entry in the log, counted from 1 without gaps. */
  readonly position: number;
  /**
   * Name of the server that wrote the entry. The entry is identified by this name, `incarnation` (how often the server
   * had opened the log) and `sequence`. An entry that was stored twice is applied once.
   */
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /**
   * Whether the entry reached the log after its deadline. A command for which a client waits is then skipped, because
   * the client has already received an error.
   */
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
  /**
   * Messages for the user about problems of the opened log: lost or unreadable entries, and entries of another version
   * of petstore-sim. Empty without problems.
   */
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
   * @throws {LogUnavailableError} if the entry was not written; a later append may succeed
   * @throws {RangeError} for an entry with several commands that exceeds `maximumEntryBytes`, and for any entry above
   * 64 MiB
   */
  append(entry: NewEntry): Promise<LogEntry>;
  /** Functions of a log that several servers share; `undefined` for any other log. */
  readonly shared?: SharedLog | undefined;
  /**
   * Writes a snapshot of the state after the log entry at `position`. Then deletes the entries and snapshots that the
   * new snapshot replaces.
   * @param pieces parts of the snapshot, at most 64 KiB each. Each part is read shortly before it is written, with
   * requests handled in between, so these requests must not change the parts
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
   * Calls a function with every further entry of the log, in order, including the entries of this server.
   * @param onEntry receives the entry and, for an entry of this server, also the object passed to `append`
   */
  follow(onEntry: (entry: LogEntry, ownEntry: NewEntry | undefined) => void): void;
  /**
   * Resolves when all entries of the log at the time of the call are applied. Also resolves if the store does not
   * respond.
   */
  catchUp(): Promise<void>;
  /**
   * Called if this server's responses to a log entry differ from the writer's. Each later entry contains hashes of its
   * writer's responses, for comparison.
   */
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
