import { fromRecordText, toRecordText } from '../json-record.js';
import type { AnswerHash } from '../log.js';

/** Content of a stream entry. */
export interface StoredEntry {
  /** First characters of the log's creation id; readers skip entries of another log. */
  readonly log: string;
  readonly version: string;
  readonly atMs: number;
  /** Time of the store after which the entry is late, in Unix milliseconds; absent if it is never late. */
  readonly deadlineMs?: number | undefined;
  /** Last entry that the writer had applied. */
  readonly after?: readonly [position: number, chain: number, id: string] | undefined;
  readonly answered?: readonly AnswerHash[] | undefined;
  /** Note of a written snapshot, for comparison with each replica's own state. */
  readonly snapshot?: SnapshotNote | undefined;
  readonly commands: readonly unknown[];
}

export interface SnapshotNote {
  readonly position: number;
  readonly digest: string;
  readonly bytes: number;
}

/** Fields of a stream entry: writer, incarnation (restart count), sequence number and content. */
export interface EntryFields {
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /** Content as JSON; `isExact` if it contains an integer that JSON.parse would round. */
  readonly text: string;
  readonly isExact: boolean;
}

export const toFields = (of: Omit<EntryFields, 'text' | 'isExact'>, entry: StoredEntry): EntryFields => ({
  ...of,
  ...toRecordText(entry),
});

/** Arguments for XADD. */
export const fieldList = ({ writer, incarnation, sequence, text, isExact }: EntryFields): string[] => [
  'w',
  `${incarnation}.${sequence} ${writer}`,
  isExact ? 'x' : 'e',
  text,
];

/** Parses the result of XRANGE or XREAD; `undefined` for an entry in an unknown format. */
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

/** Parses the content of an entry; `undefined` for an unknown format. */
export function readStored({ text, isExact }: EntryFields): StoredEntry | undefined {
  try {
    return fromRecordText<StoredEntry>(text, isExact);
  } catch {
    return undefined;
  }
}

/** Parses the content of an entry whose log id begins with `log`; `undefined` for any other entry. */
export function readStoredOf(log: string, list: readonly string[]): StoredEntry | undefined {
  const fields = readFields(list);
  const stored = fields && readStored(fields);
  return stored?.log === log ? stored : undefined;
}

/** Time of the store in a stream id, in Unix milliseconds. */
export const msOfId = (id: string): number => Number.parseInt(id, 10);
