import { fromRecordText, toRecordText } from '../../json-record.js';
import type { ResponseHash } from '../../log.js';

/** Content of one entry in the Redis stream that stores a log shared by several servers. */
export interface StoredEntry {
  /** First characters of the id of the log to which the entry belongs. Readers skip entries of another log. */
  readonly log: string;
  readonly version: string;
  readonly atMs: number;
  /**
   * Latest time at which Redis may store the entry, by Redis's clock. After this time, the entry's requests are
   * rejected, because their clients no longer wait. Absent if no client waits for the entry.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * State of the replica that appended this entry: position and id of the last log entry that the replica had applied,
   * and the hash of all entries up to this position. Other replicas compare the hash with their own hash for the
   * position.
   */
  readonly after?: readonly [position: number, chain: number, id: string] | undefined;
  readonly answered?: readonly ResponseHash[] | undefined;
  /**
   * Position, hash and size of a snapshot of the server's state that the writer of this entry has stored. Other servers
   * compare the hash with the hash of their own state at the same position.
   */
  readonly snapshot?: SnapshotNote | undefined;
  readonly commands: readonly unknown[];
}

export interface SnapshotNote {
  readonly position: number;
  readonly digest: string;
  /** Length of the stored snapshot of the server's state, in characters. */
  readonly bytes: number;
}

/**
 * Fields of a log entry in a Redis stream: name of the server that wrote the entry, how often this server had opened
 * the log, sequence number and content.
 */
export interface EntryFields {
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /** Content of the log entry as JSON. If `isExact`, the content needs a parser that does not round large integers. */
  readonly text: string;
  readonly isExact: boolean;
}

export const toFields = (of: Omit<EntryFields, 'text' | 'isExact'>, entry: StoredEntry): EntryFields => ({
  ...of,
  ...toRecordText(entry),
});

/** Arguments of the Redis command XADD, which appends an entry. */
export const fieldList = ({ writer, incarnation, sequence, text, isExact }: EntryFields): string[] => [
  'w',
  `${incarnation}.${sequence} ${writer}`,
  isExact ? 'x' : 'e',
  text,
];

/** Parses an entry in a reply of the Redis commands XRANGE or XREAD; `undefined` for an unknown format. */
export function readFields([name, from, kind, text]: readonly string[]): EntryFields | undefined {
  const found = /^(\d+)\.(\d+) (.+)$/.exec(from ?? '');
  if (name !== 'w' || found === null || text === undefined || (kind !== 'e' && kind !== 'x')) return undefined;
  const [, incarnation, sequence, writer = ''] = found;
  return {
    writer,
    incarnation: Number(incarnation),
    sequence: Number(sequence),
    text,
    isExact: kind === 'x',
  };
}

/** Parses the content of a log entry in a Redis stream; `undefined` for an unknown format. */
export function readStored({ text, isExact }: EntryFields): StoredEntry | undefined {
  try {
    return fromRecordText<StoredEntry>(text, isExact);
  } catch {
    return undefined;
  }
}

/**
 * Parses the content of an entry in the log's Redis stream. Returns `undefined` if the entry belongs to another log.
 * @param log first characters of the log's id
 */
export function readStoredOf(log: string, list: readonly string[]): StoredEntry | undefined {
  const fields = readFields(list);
  const stored = fields && readStored(fields);
  return stored?.log === log ? stored : undefined;
}

/** Returns the time in the id of a Redis stream entry, in Unix milliseconds of the clock of the Redis server. */
export const msOfId = (id: string): number => Number.parseInt(id, 10);
