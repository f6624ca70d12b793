/**
 * Interface of the log, the ordered list of commands from which a server's state can be restored. Implementations store
 * the log in a folder, in Redis or in a recording file.
 */

/**
 * Position of a log entry, and the hash of all responses that the entry's commands produced. Another version of
 * the program, or a server that continues the log, compares the hash with its own.
 */
export type ResponseHash = readonly [position: number, hash: string];

/** Entry to append to a log. Its values are JSON, in which an integer may be a bigint. */
export interface NewEntry {
  /** Machine time at which the entry's commands apply. Never decreases from one log entry to the next. */
  readonly atMs: number;
  readonly commands: readonly unknown[];
  /**
   * Hashes of the responses to earlier log entries, by which a later reader checks that it computes equal responses.
   * Responses are computed only after their entry is written, so a later entry contains their hash.
   */
  readonly answered?: readonly ResponseHash[];
}

/** Entry that was appended to the log of a server's state, with its position in the log. */
export interface LogEntry extends NewEntry {
  /** Position of the entry in the log, counted from 1 without gaps. */
  readonly position: number;
}

/**
 * Entry of the server's log that was read when the log was opened, with the version of petstore-sim that wrote the
 * entry.
 */
export interface FoundEntry extends LogEntry {
  readonly version: string;
}

/**
 * Scenario with which a log (the stored history of a server's state) began. Contains the name or file of the scenario,
 * and a hash of its content.
 */
export interface LogScenario {
  readonly name: string;
  readonly hash: string;
}

/**
 * Options for opening a log, which stores all changes of a server's state in a folder. Used by
 * `openFileLog(folder, options)` of `node/folder/file-log.js`, for example.
 */
export interface OpenLogOptions {
  /** Version of petstore-sim that opens the log. New entries contain it. */
  readonly version: string;
  /**
   * Scenario for the first entry if a new log is created. Ignored for an existing log, whose first scenario is in
   * `OpenedLog.identity`.
   */
  readonly scenario: LogScenario;
  /** Whether to delete an existing log and start a new one. Default false. */
  readonly reset?: boolean;
}

/**
 * Identity of an append-only log, which stores a server's state: a unique id, and the scenario with which the log
 * started.
 */
export interface LogIdentity {
  readonly id: string;
  readonly scenario: LogScenario;
}

/**
 * Snapshot in a server's log: the server's state after the log entry at `position`. `pieces` contains the parts of the
 * state in stored order.
 */
export interface FoundSnapshot {
  readonly position: number;
  /** Version of petstore-sim that wrote the snapshot. */
  readonly version: string;
  readonly pieces: AsyncIterable<unknown>;
}

/** Opened log of a server's state. Read `snapshot` first, then `entries`, and append to `log` only afterwards. */
export interface OpenedLog {
  readonly log: FolderLog;
  readonly identity: LogIdentity;
  /** Whether the log is new, without earlier entries. */
  readonly isNew: boolean;
  /** Newest complete snapshot in the log, if any. */
  readonly snapshot: FoundSnapshot | undefined;
  /** Entries of the log after the one at which `snapshot` was taken. Without a snapshot, all entries of the log. */
  readonly entries: AsyncIterable<FoundEntry>;
  /**
   * Messages for the user about problems of the opened log: lost or unreadable entries, and entries of another version
   * of petstore-sim. Empty without problems.
   */
  readonly notices: readonly string[];
}

export interface Log {
  /** Position of the last entry in the append-only log, counted from 1; 0 for an empty log. */
  readonly position: number;
  /**
   * Number of the log entry after which the newest complete snapshot of the server's state was taken; 0 without a
   * snapshot.
   */
  readonly snapshotPosition: number;
  /**
   * Whether a snapshot of the server's state is due, because the log is large. The snapshot replaces the log's entries.
   * False while a snapshot is being written.
   */
  readonly snapshotIsDue: boolean;
  /**
   * Appends an entry. Promises of several entries resolve in the order of their positions.
   * @throws {LogUnavailableError} if the entry was not written; a later append may succeed
   * @throws {RangeError} for an entry with several commands that exceeds `maximumEntryBytes`, and for any entry above
   * 64 MiB
   */
  append(entry: NewEntry): Promise<LogEntry>;
  /**
   * Resolves when this server is known to be the only one that appends, so that its state in memory is current.
   * Rejects with a {LogUnavailableError} if the store refuses to tell. Returns `undefined` if it is known already.
   * Absent for a log that no other server can use.
   */
  confirm?(): Promise<void> | undefined;
  /**
   * Writes a snapshot of the server's state after the log entry at `position`. Then deletes the entries and snapshots
   * that the new snapshot replaces.
   * @param pieces parts of the state, at most 64 KiB each, read one by one while the server handles requests. These
   * requests must not change the parts
   * @throws {LogUnavailableError} if the snapshot was not written; the log continues without it
   */
  writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void>;
  /** Flushes pending writes and releases the lock of the log. Later appends fail. */
  close(): Promise<void>;
}

/** Log in a folder, which can be read up to an entry that another version of petstore-sim wrote. */
export interface FolderLog extends Log {
  /**
   * Moves the entry at `from` and all later ones from the log to other files. Call it before the first append, then
   * open the log again.
   * @param reason end of the sentence "... were set aside, because"
   * @returns the sentence
   */
  setAside(from: number, reason: string): Promise<string>;
}

/**
 * Maximum size of a log entry that combines several commands (changes of the server's state), in bytes of JSON. A
 * larger command has an entry of its own.
 */
export const maximumEntryBytes = 1024 * 1024;

/**
 * Error if an entry was not stored in the server's append-only log (`--data`), for example on a full disk. A later
 * attempt may succeed.
 */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

/**
 * Error if the append-only log that stores a server's state (`--data`) cannot be opened. The message contains the
 * expected and the actual state, and advice.
 */
export class LogOpenError extends Error {
  override readonly name = 'LogOpenError';
}
