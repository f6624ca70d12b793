import { fromRecordText, toRecordText } from '../json-record.js';
import type { ResponseHash } from '../log.js';

/** Content of an entry in the log's Redis stream. */
export interface StoredEntry {
  /** First characters of the id of the log to which the entry belongs. Readers skip entries of another log. */
  readonly log: string;
  readonly version: string;
  readonly atMs: number;
  /**
   * Deadline of the entry's clients by the store's clock, in Unix milliseconds. Absent if no client waits for the
   * entry.
   */
  readonly deadlineMs?: number | undefined;
  /**
   * State of the writer when it appended this entry: the position and id of the last entry that it had applied, and the
   * hash of all entries up to there. Other replicas compare the hash with their own.
   */
  readonly after?: readonly [position: number, chain: number, id: string] | undefined;
  readonly answered?: readonly ResponseHash[] | undefined;
  /** Note that a replica wrote a snapshot. Other replicas compare its hash with their own state. */
  readonly snapshot?: SnapshotNote | undefined;
  readonly commands: readonly unknown[];
}

export interface SnapshotNote {
  readonly position: number;
  readonly digest: string;
  readonly bytes: number;
}

/**
 * Fields of an entry in the log's Redis stream: writer, incarnation (how often it opened the log), sequence number and
 * content.
 */
export interface EntryFields {
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /** Content of the log entry as JSON. `isExact` is true if it contains an integer that `JSON.parse` would round. */
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

/** Returns the time in the id of a stream entry, in Unix milliseconds of the store's clock. */
export const msOfId = (id: string): number => Number.parseInt(id, 10);
